"""Ways to pay, one module each; `gateway` is the only one that other apps talk to."""
