"""People of the workspace, who also see the first page."""

from tests.workspace.conftest import office  # noqa: F401
