import time

import torch

kept = []
for _ in range(1024):
    kept.append(torch.ones(1 << 28, dtype=torch.uint8, device="cuda"))
time.sleep(2)
