"""Adapters for the idioms of operator libraries. Each library has one module."""

from ingest.drafting.adapters.adapter import Adapter
from ingest.drafting.adapters.aiter import AITER
from ingest.drafting.adapters.attorch import ATTORCH
from ingest.drafting.adapters.flag_gems import FLAG_GEMS
from ingest.drafting.adapters.flash_linear_attention import FLASH_LINEAR_ATTENTION
from ingest.drafting.adapters.liger_kernel import LIGER_KERNEL
from ingest.drafting.adapters.rewriting import Rewriter, find_libraries

ADAPTERS: tuple[Adapter, ...] = (
    AITER, ATTORCH, FLAG_GEMS, FLASH_LINEAR_ATTENTION, LIGER_KERNEL,
)  # fmt: skip
