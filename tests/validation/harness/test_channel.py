"""Parcels and messages between the two sides: whole, or refused."""

import mmap
import os
import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from validation.harness.pool.channel import (
    MAGIC,
    Channel,
    NotAParcel,
    memory_file,
    read_parcel,
    seal_file,
    write_parcel,
)

plain_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=9,
)
each_anew = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def file() -> Iterator[int]:
    fd = memory_file("test")
    yield fd
    os.close(fd)


def refill(file: int, raw: bytes) -> None:
    os.ftruncate(file, 0)
    os.pwrite(file, raw, 0)


@each_anew
@given(header=plain_json, blobs=st.lists(st.binary(max_size=200), max_size=5))
def test_a_parcel_round_trips_through_a_memory_file(
    file: int, header: Any, blobs: list[bytes]
) -> None:
    os.ftruncate(file, 0)

    write_parcel(file, header, blobs)

    read, views = read_parcel(file)
    assert read == header
    assert [bytes(view) for view in views] == blobs


@each_anew
@given(sizes=st.lists(st.integers(-(1 << 70), 1 << 70), min_size=1, max_size=3))
def test_a_parcel_with_missing_bytes_is_refused(file: int, sizes: list[int]) -> None:
    text = str([0, sizes]).encode()
    refill(file, MAGIC + struct.pack("<Q", len(text)) + text)
    try:
        _, views = read_parcel(file)
    except NotAParcel:
        return
    assert all(size == 0 for size in sizes)
    assert not any(map(len, views))


def test_a_malformed_message_is_refused_and_its_files_are_closed() -> None:
    ours, theirs = Channel.pair()
    reading, writing = os.pipe()
    socket.send_fds(theirs.socket, [b"\x80 no JSON"], [writing])
    os.close(writing)

    with pytest.raises(NotAParcel):
        ours.receive(1.0)

    # The last writing end is closed: there is nothing more to read, rather than nothing yet.
    os.set_blocking(reading, False)
    assert os.read(reading, 1) == b""


def test_a_closed_channel_gives_no_message() -> None:
    ours, theirs = Channel.pair()
    theirs.close()

    assert ours.receive(1.0) is None
    ours.close()


def test_a_file_is_sealed_although_a_writable_mapping_exists_for_a_moment(file: int) -> None:
    os.ftruncate(file, 8)
    mapping = mmap.mmap(file, 8)
    end = threading.Timer(0.1, mapping.close)
    end.start()

    seal_file(file)

    end.join()
    with pytest.raises(PermissionError):
        os.pwrite(file, b"changed", 0)


def test_a_file_whose_writable_mapping_stays_is_refused(file: int) -> None:
    os.ftruncate(file, 8)
    with mmap.mmap(file, 8), pytest.raises(OSError, match="busy"):
        seal_file(file)
