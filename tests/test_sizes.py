"""No room of the product grows above its ceiling."""

import pytest

from tests.sizes import ROOT, Room, files, rooms


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.name)
def test_a_room_stays_below_its_ceiling(room: Room) -> None:
    assert room.lines <= room.ceiling, (
        f"{room.name} has {room.lines:,} lines, and its ceiling is {room.ceiling:,}: "
        "delete code that serves no user before adding more."
    )


def test_each_python_file_of_the_product_is_counted_once() -> None:
    python = [path for path in files() if path.suffix == ".py"]
    lines = sum(len(path.read_bytes().splitlines()) for path in python)

    assert lines == sum(room.lines for room in rooms() if not room.name.startswith("*"))


def test_migrations_and_handwritten_pairs_are_not_counted() -> None:
    counted = {path.relative_to(ROOT).as_posix() for path in files()}

    assert "curation/models/items.py" in counted
    assert not any("/migrations/" in path or "/library/" in path for path in counted)
