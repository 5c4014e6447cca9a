"""What templates of the whole service use."""
