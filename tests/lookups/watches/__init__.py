"""Stories of watched companies."""
