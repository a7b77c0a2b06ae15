"""Error for code that can't become a plain pair; its few words serve for counting."""


class Unwritable(Exception):
    pass
