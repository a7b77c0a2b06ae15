import signal
import sys

tried = []


def frame():
    if not tried:
        tried.append(True)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        # An exception in a hook is an error of the hook, and may end it.
        for _ in range(2000):
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-5)
                while True:
                    sys.audit("x")
            except KeyboardInterrupt:
                pass
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return sys._getframe()
