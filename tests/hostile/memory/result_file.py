import fcntl
import os
import time

for fd in range(3, 64):
    try:
        fcntl.fcntl(fd, fcntl.F_GET_SEALS)
        os.write(fd, b"")
    except OSError:
        continue
    for _ in range(96):
        os.write(fd, b"x" * (16 << 20))
        time.sleep(0.03)
time.sleep(2)
