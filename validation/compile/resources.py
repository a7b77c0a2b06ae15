"""Resources that a compiled kernel uses, read from its binary for NVIDIA GPUs, and occupancy."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

# Codes of attributes in the section `.nv.info`. Each value follows the kernel's symbol number.
REGISTERS, FRAME_SIZE = 0x2F, 0x11
SECTION = struct.Struct("<IIQQQQIIQQ")
# Limits of a streaming multiprocessor of compute capability 9.0.
MULTIPROCESSOR_REGISTERS, MULTIPROCESSOR_SHARED = 65536, 228 << 10
WARPS_MOST, BLOCKS_MOST = 64, 32
# Registers are allocated to a warp in units of 256; a block reserves 1 KiB of shared memory.
REGISTER_UNIT, SHARED_OF_BLOCK = 256, 1 << 10


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources of one block. `registers` and `local_bytes` (spilled registers) are per thread."""

    registers: int
    local_bytes: int
    shared_bytes: int
    warps: int

    @property
    def occupancy(self) -> float:
        """Return the share of a multiprocessor's warps that can be resident, on sm_90."""
        per_warp = -(-max(self.registers, 1) * 32 // REGISTER_UNIT) * REGISTER_UNIT
        blocks = min(
            BLOCKS_MOST,
            WARPS_MOST // self.warps,
            MULTIPROCESSOR_REGISTERS // (per_warp * self.warps),
            MULTIPROCESSOR_SHARED // (self.shared_bytes + SHARED_OF_BLOCK),
        )
        return blocks * self.warps / WARPS_MOST


def read_resources(cubin: bytes, shared_bytes: int, warps: int) -> Resources | None:
    """Return the resources of the binary's kernel, or None if the binary does not state them."""
    try:
        values = dict(_attributes(_section(cubin, b".nv.info")))
    except (struct.error, IndexError, ValueError, OverflowError):
        return None
    if REGISTERS not in values:
        return None
    return Resources(values[REGISTERS], values.get(FRAME_SIZE, 0), shared_bytes, warps)


def _section(elf: bytes, name: bytes) -> bytes:
    (start,) = struct.unpack_from("<Q", elf, 40)
    size, count, names_at = struct.unpack_from("<HHH", elf, 58)
    sections = [SECTION.unpack_from(elf, start + number * size) for number in range(count)]
    names = elf[sections[names_at][4] :]
    for section in sections:
        if names[section[0] :].startswith(name + b"\0"):
            return elf[section[4] : section[4] + section[5]]
    return b""


def _attributes(data: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at + 4 <= len(data):
        form, attribute, size = struct.unpack_from("<BBH", data, at)
        at += 4
        # In this form, the size of the value precedes the value.
        if form == 4:
            if size >= 8:
                yield attribute, struct.unpack_from("<I", data, at + 4)[0]
            at += size
