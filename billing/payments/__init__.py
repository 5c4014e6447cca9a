"""Ways to pay, one module each; `desk` is the only one that other rooms talk to."""
