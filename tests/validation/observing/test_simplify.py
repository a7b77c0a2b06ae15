"""Drafts are run in the real sandbox, and lose the code that no case needs."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from validation.observing.simplify import simplifier
from validation.observing.sizes import Row, Shapes, reduced

PROGRAMS = Path(__file__).with_name("programs")
FILES = {"python_code": "python.py", "triton_code": "triton.py", "test_code": "made.py"}
Texts = dict[str, str]
Observe = Callable[[Texts, str, bool], tuple[Mapping[str, str], Mapping[str, str]]]


@pytest.fixture(scope="module")
def observe() -> Iterator[Observe]:
    with simplifier() as function:
        yield function


@pytest.fixture(scope="module")
def simplify(observe: Observe) -> Callable[..., Texts]:
    return lambda texts, entry, differentiable=False: dict(observe(texts, entry, differentiable)[0])


def draft(name: str) -> Texts:
    return {text: (PROGRAMS / name / file).read_text() for text, file in FILES.items()}


def test_code_that_nothing_runs_goes_and_other_layouts_keep_theirs(
    simplify: Callable[..., Texts],
) -> None:
    simplified = simplify(draft("scaled"), "scaled")
    assert simplified["triton_code"] == (PROGRAMS / "scaled/simplified.py").read_text()
    assert "bias" not in simplified["python_code"]
    assert simplified["test_code"] == draft("scaled")["test_code"]


def test_classes_and_helpers_are_merged_with_the_function_that_calls_them(
    simplify: Callable[..., Texts],
) -> None:
    simplified = simplify(draft("normalized"), "normalized")
    folder = PROGRAMS / "normalized"
    assert simplified["python_code"] == (folder / "simplified_python.py").read_text()
    assert simplified["triton_code"] == (folder / "simplified.py").read_text()


def test_a_second_run_changes_nothing_more(simplify: Callable[..., Texts]) -> None:
    once = simplify(draft("scaled"), "scaled")
    assert simplify(once, "scaled") == once


def test_kernels_of_the_backward_pass_stay(simplify: Callable[..., Texts]) -> None:
    simplified = simplify(draft("squared"), "squared", differentiable=True)
    assert "_backward_kernel[" in simplified["triton_code"]
    assert "needs_input_grad" not in simplified["triton_code"]


@pytest.mark.parametrize(
    "broken",
    [
        "raise ValueError('no such machine')",
        "import sys; sys.exit(3)",
        "(" * 5000,
    ],
)
def test_a_draft_that_fails_stays_as_it_is(simplify: Callable[..., Texts], broken: str) -> None:
    texts = draft("scaled")
    texts["triton_code"] += f"\n{broken}\n"
    assert simplify(texts, "scaled") == texts


def test_a_draft_that_fails_loses_what_it_does_not_use(simplify: Callable[..., Texts]) -> None:
    texts = draft("scaled")
    texts["python_code"] += "\nraise ValueError('no such machine')\n"
    unused = "\n\ndef unused():\n    return 1\n"
    assert simplify(texts | {"triton_code": texts["triton_code"] + unused}, "scaled") == texts


@pytest.mark.parametrize(
    "answer", ["[1]", "null", '{"cases": [{}]}', '{"cases": 3, "launches": 4}']
)
def test_a_draft_that_forges_the_answer_stays_as_it_is(
    simplify: Callable[..., Texts], answer: str
) -> None:
    texts = draft("scaled")
    texts["python_code"] += f"\nimport json\njson.dumps = lambda *_, **__: {answer!r}\n"
    assert simplify(texts, "scaled") == texts


def changed(name: str, text: str, old: str, new: str) -> Texts:
    texts = draft(name)
    assert old in texts[text]
    return {**texts, text: texts[text].replace(old, new)}


@pytest.mark.parametrize(
    ("text", "old", "new", "missing", "sentence"),
    [
        ("python_code", "shifted(x) * factor", "shifted(x) * NOISE\n\n\nNOISE = torch.randn(1)",
         "no-comparison", "draws values"),
        ("python_code", "return shifted(x) * factor", "return torch.empty_like(x)",
         "no-comparison", "memory that nothing wrote"),
        ("python_code", "shifted(x)", "shifted(x, size=2)", "no-comparison", "argument 'size'"),
        ("triton_code", "launch_scale(x, factor)", "launch_scale(x[None] @ x[:, None], factor)",
         "computes-in-torch", "aten.mm"),
        ("triton_code", '"multiply", BLOCK=BLOCK', '"multiply"',
         "triton-not-standalone", "'BLOCK'"),
        ("test_code", 'case["factor"])', "torch.nn.Linear(2, 2))", "inputs", "Linear"),
        ("python_code", "shifted(x) * factor", "shifted(x).numpy()", "inputs", "ndarray"),
        ("python_code", "shifted(x) * factor", "shifted(x).view(7, 5)", "no-comparison", "[7, 5]"),
        ("python_code", "* factor", "* absent", "reference-not-standalone", "'absent'"),
    ],
)  # fmt: skip
def test_a_draft_that_is_no_pair_stays_as_it_is_with_a_reason(
    observe: Observe, text: str, old: str, new: str, missing: str, sentence: str
) -> None:
    texts = changed("scaled", text, old, new)
    after, facts = observe(texts, "scaled", False)
    assert (after, facts["missing"]) == (texts, missing)
    assert sentence in facts["sentence"]


def test_a_reference_answers_in_the_dtype_of_the_launcher(simplify: Callable[..., Texts]) -> None:
    texts = changed("scaled", "python_code", "return shifted(x) *", "return shifted(x).double() *")
    python = simplify(texts, "scaled")["python_code"]
    assert "return (x.double() * factor).to(x.dtype)\n" in python


def test_statements_that_do_nothing_go(simplify: Callable[..., Texts]) -> None:
    idle = "    for _ in x:\n        pass\n    BLOCK\n    assert not False\n"
    texts = changed("scaled", "triton_code", "    if DEBUG:\n", f"{idle}    if DEBUG:\n")
    made = simplify(texts, "scaled")["triton_code"]
    assert made == (PROGRAMS / "scaled/simplified.py").read_text()


def test_a_reference_loses_the_widening_of_its_test(simplify: Callable[..., Texts]) -> None:
    texts = changed("scaled", "python_code", "shifted(x) *", "shifted(x.double()).exp() *")
    assert "return x.exp() * factor" in simplify(texts, "scaled")["python_code"]


def test_a_draft_that_fails_loses_a_backward_pass_that_no_case_needs(
    simplify: Callable[..., Texts],
) -> None:
    texts = draft("squared")
    texts["triton_code"] = f"raise ValueError\n{texts['triton_code']}"
    assert "def backward" in texts["triton_code"]
    assert "def backward" not in simplify(texts, "squared")["triton_code"]


def test_a_number_of_one_side_becomes_the_size_of_a_tensor(simplify: Callable[..., Texts]) -> None:
    texts = changed("scaled", "python_code", "shifted(x) * factor", "x.view(factor) * 2")
    texts["triton_code"] = texts["triton_code"].replace("x, factor, bias=None", "x, bias=None")
    texts["triton_code"] = texts["triton_code"].replace(
        "launch_scale(x, factor)", "launch_scale(x)"
    )
    texts["triton_code"] = texts["triton_code"].replace("if factor == 0", "if n == 0")
    texts["triton_code"] = texts["triton_code"].replace("bias, factor, n", "bias, 2, n")
    texts["test_code"] = texts["test_code"].replace('case["n"], device', "24, device")
    texts["test_code"] = texts["test_code"].replace('case["factor"])', "24)")
    assert "x.view(x.shape[0]) * 2" in simplify(texts, "scaled")["python_code"]


def test_sizes_of_cases_and_of_constants_are_halved_until_the_inputs_are_small(
    simplify: Callable[..., Texts],
) -> None:
    texts = changed("scaled", "test_code", '(case["n"], device', '(case["n"], 4096, device')
    texts["test_code"] = texts["test_code"].replace('"n": 1000', '"n": 4096')
    test = simplify(texts, "scaled")["test_code"]
    assert '{"n": 100, "factor": 3.0' in test
    assert '{"n": 1024, "factor": 0' in test
    assert "4096" not in test


def test_sizes_that_belong_together_stay_if_halves_of_them_raise(
    simplify: Callable[..., Texts],
) -> None:
    texts = changed("scaled", "test_code", '"n": 1000', '"n": 4096')
    texts["python_code"] += "\n\ndef checked(x):\n    assert x.numel() in (100, 4096)\n"
    old, new = "return shifted(x)", "checked(x)\n    return shifted(x)"
    texts["python_code"] = texts["python_code"].replace(old, new)
    assert '{"n": 4096, "factor": 0' in simplify(texts, "scaled")["test_code"]


def test_no_input_becomes_empty_by_smaller_sizes() -> None:
    def shapes(_: Row, sizes: Row) -> Shapes:
        length, cached = sizes["length"], sizes["cached"]
        return [[length - cached, 512], [length, 512], [cached, 8192]]

    _, sizes = reduced([{}], {"length": 4096, "cached": 2048}, shapes, 2**19)
    assert 0 < sizes["cached"] < sizes["length"] < 4096


@pytest.mark.parametrize(
    ("result", "told"),
    [("out * 2", "mul"), ("torch.outer(up, up).mv(out)", "aten.mv")],
)
def test_a_backward_pass_that_leaves_work_to_torch_is_told(
    observe: Observe, result: str, told: str
) -> None:
    old = "        return out\n\n\ndef"
    texts = changed("squared", "triton_code", old, old.replace("out", result))
    after, facts = observe(texts, "squared", True)
    assert after == texts
    assert told in facts["backward"]


def test_inputs_go_that_other_inputs_tell(simplify: Callable[..., Texts]) -> None:
    simplified = simplify(draft("shared"), "shared")
    assert simplified["python_code"] == (PROGRAMS / "shared/simplified_python.py").read_text()
    assert simplified["triton_code"] == (PROGRAMS / "shared/simplified.py").read_text()
    assert "return (x,)\n" in simplified["test_code"]


def test_a_reference_keeps_the_copy_that_it_writes_to(simplify: Callable[..., Texts]) -> None:
    texts = changed(
        "shared",
        "python_code",
        "squared = copied**power if fast else copied",
        "squared = copied.square_()",
    )
    assert ".clone()" in simplify(texts, "shared")["python_code"]


def test_a_condition_on_the_machine_stays(simplify: Callable[..., Texts]) -> None:
    machine = 'DEVICE = "cuda" if torch.cuda.is_available() else "cpu"'
    texts = changed("shared", "triton_code", "out = out.clone()", "out = out.to(DEVICE).clone()")
    texts["triton_code"] = texts["triton_code"].replace("@triton", f"{machine}\n\n\n@triton", 1)
    assert machine in simplify(texts, "shared")["triton_code"]


LARGE = "if n > 1 << 30:"


def test_a_larger_case_reaches_the_code_for_large_sizes(simplify: Callable[..., Texts]) -> None:
    simplified = simplify(changed("scaled", "triton_code", LARGE, "if n > 1 << 11:"), "scaled")
    assert "_scale_large_kernel[" in simplified["triton_code"]
    assert (
        '{"n": 6400, "factor": 3.0, "dtype": "float32", "seed": 2},\n]' in simplified["test_code"]
    )


def test_an_odd_case_reaches_the_code_for_odd_sizes(simplify: Callable[..., Texts]) -> None:
    simplified = simplify(changed("scaled", "triton_code", LARGE, "if n % 2 == 1:"), "scaled")
    assert "_scale_large_kernel[" in simplified["triton_code"]
    assert '{"n": 13, "factor": 3.0, "dtype": "float32", "seed": 2},\n]' in simplified["test_code"]


def test_sizes_that_the_test_fixes_are_not_tried(simplify: Callable[..., Texts]) -> None:
    texts = changed("scaled", "triton_code", LARGE, "if n > 1 << 11:")
    texts["test_code"] = texts["test_code"].replace("CASES", 'FIXED = ("n",)\nCASES', 1)
    simplified = simplify(texts, "scaled")
    assert "_scale_large_kernel" not in simplified["triton_code"]
    assert simplified["test_code"] == texts["test_code"]


@pytest.mark.parametrize("machine", ["xpu", "cuda"])
def test_conditions_on_other_machines_go(simplify: Callable[..., Texts], machine: str) -> None:
    texts = changed("scaled", "triton_code", LARGE, f'if x.device.type == "{machine}":')
    stays = "_scale_large_kernel" in simplify(texts, "scaled")["triton_code"]
    assert stays == (machine == "cuda")


def with_kernel_code(lines: str, before: str = "") -> Texts:
    """Return the draft with lines at the start of its kernel's choice of a mode."""
    place = '    if MODE == "multiply":\n'
    texts = changed("scaled", "triton_code", place, f"{lines}{place}")
    texts["triton_code"] = texts["triton_code"].replace(
        "DEBUG = False\n", f"DEBUG = False\n{before}"
    )
    return texts


def test_all_branches_of_a_chain_in_a_kernel_go_but_the_last(
    simplify: Callable[..., Texts],
) -> None:
    tests = "".join(f'    elif MODE == "mode {number}":\n        value = {number}\n'
                    for number in range(20))  # fmt: skip
    chain = f'    if MODE == "no mode":\n        value = 99\n{tests}    else:\n        value += 7\n'
    made = simplify(with_kernel_code(chain), "scaled")["triton_code"]
    assert "    value += 7\n    value *= factor\n" in made
    assert "mode" not in made


@pytest.mark.parametrize(
    ("lines", "stays"),
    [
        ("    if MODE_OF_ALL == 3:\n        value += 1\n", False),
        ("    if n > 1000000000:\n        value += 1\n", False),
        ("    if n % 7 == 0:\n        value += 1\n", True),
        (
            "    MODE_OF_ALL = tl.num_programs(0)\n    if MODE_OF_ALL == 3:\n        value += 1\n",
            True,
        ),
        ("    if tl.program_id(0) == 3:\n        value += 1\n", True),
    ],
)
def test_branches_of_kernels_stay_if_a_launch_may_take_them(
    simplify: Callable[..., Texts], lines: str, stays: bool
) -> None:
    texts = with_kernel_code(lines, before="MODE_OF_ALL = tl.constexpr(2)\n")
    assert ("value += 1\n" in simplify(texts, "scaled")["triton_code"]) == stays


def test_branches_stay_that_a_configuration_decides(simplify: Callable[..., Texts]) -> None:
    texts = with_kernel_code("    if BLOCK > 128:\n        value += 1\n")
    sizes = "[triton.Config({'BLOCK': size}) for size in (128, 256)]"
    tuned = f"@triton.autotune({sizes}, key=['n'])\n@triton.heuristics"
    texts["triton_code"] = texts["triton_code"].replace("@triton.heuristics", tuned)
    texts["triton_code"] = texts["triton_code"].replace('"multiply", BLOCK=BLOCK', '"multiply"')
    assert "value += 1\n" in simplify(texts, "scaled")["triton_code"]


@pytest.mark.parametrize("name", ["triton_code", "python_code"])
def test_conditions_on_values_stay(simplify: Callable[..., Texts], name: str) -> None:
    old = LARGE if name == "triton_code" else "    return shifted(x) * factor"
    new = f"total = x.sum().item()\n    if total > 1e9:\n        return x * 7\n    {old.strip()}"
    assert "if total > 1e9:" in simplify(changed("scaled", name, old.strip(), new), "scaled")[name]
