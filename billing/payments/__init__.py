"""Ways to pay, one module each; `checkout` is the only one that other apps talk to."""
