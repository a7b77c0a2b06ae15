"""Error for code that can't become a pair. Its message is short, so that reasons can be counted."""


class Unwritable(Exception):
    pass
