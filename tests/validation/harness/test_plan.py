"""Inputs that an entry is tried on, beyond those that it shows."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from validation.harness.plan import trial_plan as plan

FLOAT = {"dtype": "float32"}
HALF = {"dtype": "float16"}
CASES: list[plan.Case] = [
    {"n": 1, "dtype": FLOAT, "seed": 0},
    {"n": 97, "dtype": FLOAT, "seed": 1},
    {"n": 4096, "dtype": FLOAT, "seed": 2},
    {"n": 512, "dtype": HALF, "seed": 3},
]

sizes = st.integers(0, 300)
values = (
    sizes
    | st.booleans()
    | st.text(max_size=3)
    | st.floats()
    | st.lists(sizes, max_size=3).map(lambda parts: {"tuple": parts})
)
any_case = st.dictionaries(
    st.sampled_from(["n", "rows", "shape", "flag", "seed", "dtype"]), values, max_size=5
)


def varied(
    cases: list[plan.Case], *, fixed: tuple[str, ...] = (), device: str = "interpreter", **more: Any
) -> list[plan.Trial]:
    return plan.varied(cases, fixed, more.get("gaps", ()), device, seed=9)


def named(trials: list[plan.Trial], name: str) -> plan.Case:
    return next(trial.case for trial in trials if trial.name == name)


def test_each_dtype_of_the_cases_is_varied() -> None:
    trials = varied(CASES)

    assert {trial.case["dtype"]["dtype"] for trial in trials} == {"float32", "float16"}


def test_sizes_that_no_case_has_are_tried() -> None:
    trials = varied(CASES)

    assert named(trials, "primes")["n"] == 13
    assert named(trials, "sizes of 1")["n"] == 1
    assert named(trials, "larger n")["n"] == 197


def test_one_trial_has_an_incomplete_last_block() -> None:
    """A case of 4,096 fills every block of any kernel: 4,095 does not."""
    assert named(varied(CASES), "largest, made odd")["n"] == 4095


def test_one_trial_in_the_interpreter_has_40000_elements() -> None:
    assert named(varied(CASES), "40,000 elements")["n"] == 40_001
    assert not [one for one in varied(CASES, device="cuda") if one.kind == "large"]
    assert not [one for one in varied(CASES, fixed=("n",)) if one.kind == "large"]


def test_a_case_of_one_element_is_not_varied_if_there_is_another() -> None:
    cases = [{"n": n, "dtype": FLOAT, "seed": 0} for n in (1, 4)]

    assert named(varied(cases), "zeros")["n"] == 4


def test_a_case_of_one_element_is_not_varied_where_all_sizes_are_fixed() -> None:
    cases = [
        {"shape": {"tuple": shape}, "dtype": FLOAT, "seed": seed}
        for seed, shape in enumerate([[20, 32], [], [20, 32], [64, 64]])
    ]

    assert named(varied(cases, fixed=("shape",)), "zeros")["shape"] == {"tuple": [20, 32]}


def test_fixed_sizes_are_not_varied() -> None:
    cases = [{"rows": 8, "heads": 4, "shape": {"tuple": [3, 5]}, "seed": 0}]

    trials = varied(cases, fixed=("heads", "shape"))

    assert {trial.case["heads"] for trial in trials} == {4}
    assert {str(trial.case["shape"]) for trial in trials} == {str({"tuple": [3, 5]})}
    assert len({trial.case["rows"] for trial in trials}) > 3


def test_flags_and_floats_are_not_varied_as_sizes() -> None:
    trials = varied([{"n": 4, "causal": True, "eps": 0.5, "name": "x", "seed": 0}])

    assert all(trial.case["causal"] is True and trial.case["eps"] == 0.5 for trial in trials)


def test_in_the_interpreter_no_trial_is_much_larger_than_a_case() -> None:
    cases = [{"b": 2, "c": 2, "f": 5, "image": {"tuple": [7, 11]}, "seed": 0}]

    for trial in varied(cases):
        if trial.kind == "large":
            continue
        case = trial.case
        height, width = case["image"]["tuple"]
        assert case["b"] * case["c"] * case["f"] * height * width <= 2 * 1540, trial.name


def test_on_a_gpu_more_trials_are_made() -> None:
    more = {trial.name for trial in varied(CASES, device="cuda")}

    assert more > {trial.name for trial in varied(CASES) if trial.kind != "large"}
    assert "sizes of 32" in more


def test_wider_gaps_are_tried_only_if_a_case_has_gaps() -> None:
    assert "wider gaps" not in {trial.name for trial in varied(CASES)}
    assert "wider gaps" in {trial.name for trial in varied(CASES, gaps=[0])}


def test_without_a_seed_the_input_values_are_shuffled() -> None:
    (trial,) = (t for t in varied([{"n": 4}]) if t.kind == "seed")

    assert trial.variant == {"kind": "shuffled", "seed": 10}


@given(st.lists(any_case, min_size=1, max_size=4), st.sampled_from(["interpreter", "cuda"]))
def test_any_cases_give_distinct_trials(cases: list[plan.Case], device: str) -> None:
    shown = plan.shown(cases, device)
    more = varied(cases, device=device)

    numbers = [trial.number for trial in (*shown, *more)]
    assert numbers == list(range(len(numbers)))
    assert all(trial.modes for trial in (*shown, *more))
    assert len({str((t.case, t.variant)) for t in more}) == len(more)
    assert varied(cases, device=device) == more or any(v != v for c in cases for v in c.values())
