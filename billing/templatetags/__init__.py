"""What billing's templates can say."""
