import bdb


def frame():
    try:
        raise LookupError
    except LookupError as error:
        return bdb.Bdb().get_stack(None, error.__traceback__)[0][0][0]
