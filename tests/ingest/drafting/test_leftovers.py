"""Host code keeps nothing that only its author's work needed."""

from __future__ import annotations

import textwrap

from ingest.drafting.leftovers import remove_leftovers


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


def test_prints_and_values_that_nothing_reads_go() -> None:
    written = text(
        """
        def reference(q, k, debug=False):
            batch, length = q.shape
            if debug:
                print(q.shape)
            for start in range(2):
                end = start + 1
                end - start
                q = q + k
                print(start)
            unused = torch.empty_like(q)  # Not read.
            drawn = torch.randn(3)
            return q
        """
    )

    assert remove_leftovers(written) == text(
        """
        def reference(q, k, debug=False):
            for start in range(2):
                q = q + k
            drawn = torch.randn(3)
            return q
        """
    )


def test_a_call_that_may_do_more_than_compute_stays() -> None:
    written = text(
        """
        def launch(x):
            done = check(x)
            first, rest = split(x)
            value = x.copy_(rest)
            self.count = 1

            def inner():
                nonlocal value
                value = 2

            return first
        """
    )

    assert remove_leftovers(written) == written


def test_inputs_draw_no_numbers_that_nothing_reads() -> None:
    written = text(
        """
        def make_inputs(case, device):
            x = torch.randn(3)
            out = torch.randn(4)
            return (x,)
        """
    )

    assert "out" not in remove_leftovers(written, inputs=True)


def test_code_in_comments_goes_and_sentences_and_formulas_stay() -> None:
    written = text(
        """
        # @triton.autotune(
        #     configs=[triton.Config({"BLOCK": 16})],
        #     key=["n"],
        # )
        @triton.jit
        def kernel(x):
            # y = tl.load(x)
            pass


        def reference(x):
            # print(x.shape)
            # y = torch.exp(x)
            # The state comes first.
            # This kernel is equivalent to
            # y = x.view(1, -1).cumsum(0)
            # assert shapes
            # p = exp(s - m)
            # [B, T, H]
            # note (important)
            y = x  # y = x.clone()
            # y = y + 1
            return y
        """
    )

    assert remove_leftovers(written) == text(
        """
        @triton.jit
        def kernel(x):
            # y = tl.load(x)
            pass


        def reference(x):
            # The state comes first.
            # This kernel is equivalent to
            # y = x.view(1, -1).cumsum(0)
            # assert shapes
            # p = exp(s - m)
            # [B, T, H]
            # note (important)
            y = x  # y = x.clone()
            return y
        """
    )


def test_a_result_that_nothing_reads_has_no_name() -> None:
    written = text(
        """
        def entry(q):
            o, state = launch(q)
            return o
        """
    )

    assert "    o, _ = launch(q)\n" in remove_leftovers(written)


def test_a_class_that_only_annotations_name_goes_from_them() -> None:
    written = text(
        """
        class Context:
            group: int

            def copy(self) -> Context:
                return Context(self.group)


        class Used:
            pass


        def launch(x, context: Context | None = None, other: Used = Used()) -> int:
            return x, context, other
        """
    )

    assert remove_leftovers(written) == written.replace("context: Context | None", "context")


def test_inputs_import_nothing_that_they_do_not_use() -> None:
    written = text(
        """
        import torch
        import triton
        import torch.nn.functional as F


        def make_inputs(case, device):
            return (torch.ones(3), F.relu)
        """
    )

    assert remove_leftovers(written, inputs=True) == written.replace("import triton\n", "")


def test_an_else_without_code_and_a_name_bound_to_itself_go() -> None:
    written = text(
        """
        def launch(q, normed):
            if normed:
                q, _ = norm(q)
            else:
                q_rstd = None
            q = q
            return q
        """
    )

    assert remove_leftovers(written) == text(
        """
        def launch(q, normed):
            if normed:
                q, _ = norm(q)
            return q
        """
    )


def test_code_that_never_runs_goes() -> None:
    written = text(
        """
        def reference(x, y):
            if y is None:
                return x
                return x
            for part in x:
                continue
                print(part)
            return y
        """
    )

    assert remove_leftovers(written) == text(
        """
        def reference(x, y):
            if y is None:
                return x
            for part in x:
                continue
            return y
        """
    )


def test_a_value_that_is_bound_anew_before_it_is_read_goes() -> None:
    code = (
        "def entry(x):\n    out = None\n    n = x.numel()\n    out = torch.empty_like(x)\n"
        "    m = n\n    if m:\n        m = 2\n    return out, n, m\n"
    )

    assert remove_leftovers(code) == code.replace("    out = None\n", "")


def test_an_unread_list_of_copies_goes() -> None:
    code = (
        "def make_inputs(case, device):\n    x = torch.randn(3)\n"
        "    copies = [each.clone() for each in [x]]\n    a, b = copies\n    return (x,)\n"
    )

    assert "copies" not in remove_leftovers(code, inputs=True)


def test_sizes_of_a_shape_that_nothing_reads_go() -> None:
    code = "def f(x):\n    a, b = x.size()\n    c, d = g(x)\n    return x\n"

    assert remove_leftovers(code) == code.replace("    a, b = x.size()\n", "")
