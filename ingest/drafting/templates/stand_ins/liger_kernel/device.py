import torch


def infer_device():
    """Return the type of the machine's device."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def infer_device_arch(device_id=0):
    """Return the family of the GPU."""
    if not torch.cuda.is_available():
        return "cpu"
    major, minor = torch.cuda.get_device_capability(device_id)
    families = {7: "volta_turing", 8: "ampere_ada", 9: "hopper", 12: "blackwell_consumer"}
    blackwell = "blackwell" if minor == 0 else "blackwell_ultra"
    return blackwell if major == 10 else families.get(major, f"sm_{major}{minor}")
