"""What can't be made a plain pair, and why: a few words, counted by."""


class Unwritable(Exception):
    pass
