import torch

IS_NVIDIA = torch.cuda.is_available()
IS_NVIDIA_HOPPER = IS_NVIDIA and torch.cuda.get_device_capability()[0] == 9
IS_NVIDIA_SM100 = IS_NVIDIA and torch.cuda.get_device_capability()[0] == 10
IS_NVIDIA_SM120 = IS_NVIDIA and torch.cuda.get_device_capability() == (12, 0)
IS_NVIDIA_BLACKWELL = IS_NVIDIA and torch.cuda.get_device_capability()[0] in (10, 12)
IS_TF32_SUPPORTED = IS_NVIDIA and torch.cuda.get_device_capability()[0] >= 8


def get_multiprocessor_count(tensor_idx=0):
    """Return the number of the GPU's multiprocessors, or one without a GPU."""
    if not torch.cuda.is_available():
        return 1
    return torch.cuda.get_device_properties(tensor_idx).multi_processor_count


def check_shared_mem(arch="none", tensor_idx=0):
    """Return whether a block may use as much shared memory as on this architecture."""
    if not torch.cuda.is_available():
        return False
    properties = torch.cuda.get_device_properties(tensor_idx or 0)
    needed = {"ada": 101376, "ampere": 166912, "hopper": 232448}.get(arch, 102400)
    return properties.shared_memory_per_block_optin >= needed
