import os
import signal

os.kill(os.getpid(), signal.SIGRTMIN + 1)
