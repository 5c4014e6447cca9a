"""The pages that members of an account work in, a module or a package for each thing they do there."""
