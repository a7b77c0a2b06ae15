from __future__ import annotations

from curation.similarity.contamination import BenchmarkText, fingerprint_parts, index, matches
from curation.similarity.definitions import definitions
from tests.curation.similarity.kernels import SOFTMAX, renamed, unrelated

BENCHMARK = index(
    fingerprint_parts(
        [
            BenchmarkText("softmax", "g/softmax.py", SOFTMAX),
            *(BenchmarkText(f"p{n}", f"g/p{n}.py", unrelated(5000 + n)) for n in range(30)),
        ]
    )
)


def first_kernel(text: str) -> str:
    return definitions(text)[0]


def test_a_copy_with_a_changed_line_is_a_near_duplicate() -> None:
    copy = first_kernel(renamed(SOFTMAX)).replace("tl.exp(", "2 * tl.exp(")

    found = matches(copy, BENCHMARK)

    assert (found[0].problem, found[0].method) == ("softmax", "near")
    assert 0.7 <= found[0].similarity < 1.0


def test_autotune_configs_do_not_hide_a_copy() -> None:
    configs = ", ".join(f"triton.Config({{'BLOCK': {n}}}, num_warps={n})" for n in range(1, 99))
    tuned = SOFTMAX.replace("@triton.jit", f"@triton.autotune([{configs}], key=['n'])\n@triton.jit")

    found = matches(first_kernel(renamed(tuned)), BENCHMARK)

    assert [(m.problem, m.method) for m in found] == [("softmax", "syntax")]


def test_a_problem_inside_a_longer_text_is_contained() -> None:
    lines = [line for line in SOFTMAX.splitlines() if line.startswith("    ")]
    longer = "\n".join(["def f(out_ptr, in_ptr, x):", *lines[:1], *lines[1:]])
    body = unrelated(77).splitlines()[5:]

    found = matches("\n".join([longer, *body, *unrelated(78).splitlines()[5:]]), BENCHMARK)

    assert [(m.problem, m.method) for m in found] == [("softmax", "contained")]


def test_a_very_short_text_is_never_flagged() -> None:
    short = "def get_inputs():\n    return [torch.rand(2, 3)]\n"
    tiny = index(fingerprint_parts([BenchmarkText("tiny", "tiny.py", short)]))

    assert matches(short, tiny) == ()


def test_the_launcher_of_a_benchmark_problem_is_not_a_problem() -> None:
    launcher = SOFTMAX[SOFTMAX.index("def softmax(x)") :]

    assert matches(launcher, BENCHMARK) == ()


def test_an_empty_benchmark_gives_no_match() -> None:
    assert matches(SOFTMAX, index([])) == ()
