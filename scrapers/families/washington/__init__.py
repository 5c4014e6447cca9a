"""Washington's corporations and charities filing system."""
