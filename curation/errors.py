"""Errors whose text is a sentence for a person: problem, input and remedy.

Raise `CurationError` or a subclass for anything that the user can fix. `manage.py` prints it and
exits with 1; a job writes it to its run.
"""


class CurationError(Exception):
    """An error that a person can understand and fix. `str()` of it is the complete message.

    `retry` is True if the same call may succeed later. Then a job is retried automatically.
    """

    retry = False


class Conflict(CurationError):
    """An error because another decision, claim or request came first. Over HTTP it is a 409."""
