"""Copyright lines as a NOTICE quotes them."""

import pytest

from ingest.licenses.copyrights import copyrights, same_holder


@pytest.mark.parametrize(
    ("line", "holder"),
    [
        ("# Copyright (c) 2023, Tri Dao.", "Tri Dao"),
        ("# Copyright (c) Example, Inc. and affiliates.", "Example, Inc. and affiliates"),
        ("Copyright 2018-2020 Philippe Tillet", "Philippe Tillet"),
        ("# Copyright © 2024-present The Authors <a@example.org>", "The Authors"),
        ("# (c) 2021 Ada Lovelace. All rights reserved.", "Ada Lovelace"),
        ("# SPDX-FileCopyrightText: 2022 Grace Hopper <grace@example.org>", "Grace Hopper"),
        ("# Copyright (C) 2019, 2021 by Renée Müller", "Renée Müller"),
        ("// Copyright Contributors to the Kernel Project", "Contributors to the Kernel Project"),
    ],
)  # fmt: skip
def test_a_copyright_holder_is_found(line: str, holder: str) -> None:
    (found,) = copyrights([line])

    assert found.holder == holder
    assert found.text in line


@pytest.mark.parametrize(
    "line",
    [
        "The above copyright notice shall be included in all copies.",
        "THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE",
        "Copyright [yyyy] [name of copyright owner]",
        "Copyright (c) <year> <holder>",
        "Redistributions must retain the above copyright notice, this list",
        "copyright law, or a work that is",
        "return (c) + d",
        "# copyright",
        "",
    ],
)
def test_a_sentence_about_copyright_gives_no_holder(line: str) -> None:
    assert copyrights([line]) == ()


def test_all_rights_reserved_may_be_on_the_next_line() -> None:
    first, second = copyrights(
        ["# Copyright 2024 A Person", "# All rights reserved.", "# Copyright 2024 Another"]
    )

    assert first.all_rights_reserved
    assert not second.all_rights_reserved


def test_copyright_holders_are_compared_by_their_significant_words() -> None:
    assert same_holder("Facebook, Inc. and its affiliates", "Facebook")
    assert not same_holder("Example Corporation", "Other Corporation and its affiliates")
