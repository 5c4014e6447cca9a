"""What people may ask of us: that something about them is left out or put right, a copy or the end of an account."""
