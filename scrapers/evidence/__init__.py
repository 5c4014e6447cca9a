"""What registries answered, kept byte for byte: the ground that every answer stands on."""
