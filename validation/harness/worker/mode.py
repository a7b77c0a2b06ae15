"""A dispatch mode that does not import torch's compiler."""

import sys
from typing import Any

from torch._compile import _disable_dynamo
from torch.utils._python_dispatch import TorchDispatchMode


class Mode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Torch 2.10 and later wrap each mode to exclude it from torch.compile. The wrapper imports the
    compiler, which takes a second and 70 MiB of each fork, and slows every operation. This mode
    is wrapped only if the compiler is already imported."""

    _is_wrapped = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __enter__(self) -> "Mode":
        kind: Any = type(self)
        if "torch._dynamo" in sys.modules and not kind._is_wrapped:
            kind.__torch_dispatch__ = _disable_dynamo(kind.__torch_dispatch__)
            kind._is_wrapped = True
        super().__enter__()  # type: ignore[no-untyped-call]
        return self
