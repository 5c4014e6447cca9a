"""The dossier: one record as people read it, the same on its public page, in the workspace and on paper."""

from lookups.pages.dossier.page import Dossier, NothingKept, Viewer, of_lookup, of_version

__all__ = ["Dossier", "NothingKept", "Viewer", "of_lookup", "of_version"]
