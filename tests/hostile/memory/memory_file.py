import os
import time

file = os.memfd_create("m")
for _ in range(96):
    os.write(file, b"x" * (16 << 20))
    time.sleep(0.03)
time.sleep(2)
