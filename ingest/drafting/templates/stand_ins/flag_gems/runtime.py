import torch
import triton

torch_device_fn = torch.cuda
