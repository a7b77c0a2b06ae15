import signal

found = []


def frame():
    signal.signal(signal.SIGUSR1, lambda _, at: found.append(at))
    signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    return found.pop()
