"""What requests may say: the fields, and the bodies made of them."""
