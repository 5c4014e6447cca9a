"""What proves an answer to somebody who does not trust us: signed manifests, their chain, files that hold all of it."""
