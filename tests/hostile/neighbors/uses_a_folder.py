"""Appended to an honest entry's test: pytest's own folders work."""

from pathlib import Path


def test_a_temporary_folder_of_pytest_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "note").write_text("whole")
    (tmp_path / "inner" / "note").rename(tmp_path / "moved")

    assert (tmp_path / "moved").read_text() == "whole"
    assert Path("/proc/self/maps").exists()
