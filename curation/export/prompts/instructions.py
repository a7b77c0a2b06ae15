"""Instructions of the instruct, chat and alpaca records, above the PyTorch function."""

from curation.export.prompts.stable import stable_number

INSTRUCTION = (
    "Rewrite this PyTorch function as a Triton kernel with a launcher of the same name and "
    "signature."
)
VARIED = (
    INSTRUCTION,
    "Write a Triton kernel for the function below. Keep its name and its arguments.",
    "Translate this PyTorch code to Triton. The launcher must have the same name and signature.",
    "Here is a PyTorch reference. Give me a Triton version that I can call the same way.",
    "Can you write this as a Triton kernel? I want to replace the function without other changes.",
    "Port the following function from PyTorch to Triton, with a drop-in launcher.",
    "This PyTorch function is too slow. Please write it in Triton, with the same call.",
    "Implement the function below as a Triton kernel, with a Python function around it that has "
    "the same name and parameters.",
    "I need a Triton implementation that returns the same results as this PyTorch function for "
    "the same arguments.",
    "Convert this to a Triton kernel and its launcher. Name and signature stay the same.",
    "Please replace the PyTorch operations in this function with a Triton kernel. Callers must "
    "not notice the difference.",
    "Below is the reference in PyTorch. Write the matching Triton kernel and the function that "
    "launches it.",
)


def instruction(content_hash: str, *, varied: bool) -> str:
    """Return the instruction of a pair: always the same one, or one by its content."""
    if not varied:
        return INSTRUCTION
    return VARIED[stable_number(content_hash, "instruction") % len(VARIED)]
