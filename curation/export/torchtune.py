"""torchtune's text completion form: one JSON array of `{"input": source}`."""

import json
from collections.abc import Iterable
from typing import TextIO

from curation.models import Kernel


def write_text_completion(kernels: Iterable[Kernel], file: TextIO) -> int:
    """Write the array, a record a line so that two releases can be compared, and count."""
    count = 0
    file.write("[")
    for kernel in kernels:
        file.write(",\n" if count else "\n")
        file.write(json.dumps({"input": kernel.standalone_source}, ensure_ascii=False))
        count += 1
    file.write("\n]\n" if count else "]\n")
    return count
