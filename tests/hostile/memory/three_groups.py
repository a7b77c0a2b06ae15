"""Three process groups, none above 448 MiB, hold 600 MiB together; says how each ended."""

import os
import sys
import time

children = []
for mebibytes in (64, 448, 64):
    if not (child := os.fork()):
        os.setpgid(0, 0)
        kept = bytearray(b"x") * (mebibytes << 20)
        time.sleep(4)
        os._exit(0)
    children.append(child)
for child in children:
    sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
