import mmap
import time

pages = mmap.mmap(-1, 96 << 24)
for _ in range(96):
    pages.write(b"x" * (16 << 20))
    time.sleep(0.03)
time.sleep(2)
