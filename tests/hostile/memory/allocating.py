import time

kept = []
for _ in range(96):
    kept.append(bytearray(b"x") * (16 << 20))
    time.sleep(0.03)
time.sleep(2)
