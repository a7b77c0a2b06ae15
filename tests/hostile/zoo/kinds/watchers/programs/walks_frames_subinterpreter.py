try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters

found = []
TEXT = """
import sys
for at in sys._current_frames().values():
    while at is not None:
        if "found" in at.f_globals:
            at.f_globals["found"].append(at)
        at = at.f_back
"""


def frame():
    other = interpreters.create()
    interpreters.run_string(other, TEXT)
    interpreters.destroy(other)
    at = found[0]
    found.clear()
    return at
