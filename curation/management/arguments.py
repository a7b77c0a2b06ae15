"""Arguments that several commands share."""

from curation.models import Device

# Other names that people type for a device.
ALIASES = {"gpu": Device.CUDA.value}


def device(text: str) -> str:
    """Return the device that `text` names; `argparse` compares it with the choices."""
    return ALIASES.get(text, text)
