"""States on Tecuity's filing platform ("FileOne", "bizfile"): one JSON protocol in two generations."""
