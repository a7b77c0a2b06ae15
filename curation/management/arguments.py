"""Arguments that several commands share."""

from curation.models import Device

# What a person types for a device that has another name here.
ALIASES = {"gpu": Device.CUDA.value}


def device(text: str) -> str:
    """Return the device that `text` names; `argparse` compares it with the choices."""
    return ALIASES.get(text, text)
