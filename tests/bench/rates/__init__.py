"""What answers cost: rates, waiting times and CPU of the web processes, each beside a bare view in the same run."""
