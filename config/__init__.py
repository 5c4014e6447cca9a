"""The composition root: imports everyone, is imported by no one."""

import gc

_USUAL = gc.get_threshold()
# To start makes 200,000 objects that stay; every 700 of them Python looks for cycles, which took a tenth of a start.
gc.set_threshold(50_000)


def started() -> None:
    """Leave what is there now alone, and look for cycles among what comes as often as Python does."""
    gc.freeze()
    gc.set_threshold(*_USUAL)
