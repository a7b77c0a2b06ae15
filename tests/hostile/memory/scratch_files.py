import os
import time

for number in range(96):
    with open(f"{os.environ['TMPDIR']}/{number}", "wb") as file:
        file.write(b"x" * (16 << 20))
    time.sleep(0.03)
time.sleep(2)
