"""Errors that are sentences for a person: what was wrong, with which input, what to do.

Raise `CurationError` (or a subclass) for anything that the person at the keyboard can mend.
`manage.py` prints it and exits with 1; a job writes it into its run.
"""


class CurationError(Exception):
    """Something a person can understand and mend; `str()` of it is the whole sentence.

    `retry` says whether the same call may succeed later: a job then tries again by itself.
    """

    retry = False
