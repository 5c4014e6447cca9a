"""One file that holds what the service cannot be made again from: written under load, checked before it is used."""


class Refused(Exception):
    """A backup cannot be written or used; the message is one line for the operator."""
