import logging

found = []


def frame():
    before, logging._is_internal_frame = logging._is_internal_frame, found.append
    logging.Logger("x").findCaller()
    logging._is_internal_frame = before
    return found.pop()
