"""Agreement of suggested verdicts with decisions that the model has not seen.

    python -m benchmarks.measure_suggestions [--seed N]

Two sets of made-up evidence with known decisions: *simulated* reviewers weigh the evidence and err
in one of ten decisions; *scripted* ones follow a rule that no sum of weights can express. The
baseline always gives the more common verdict; the ceiling is the share of decisions without error.
"""

import argparse
import time
from collections.abc import Callable
from random import Random

from curation.decisions.logistic import Features, learn

SIZES = (200, 500, 2000, 5000)
NOISE = 0.1
MARKS = {
    "a near-duplicate": 0.15, "in a benchmark": 0.03, "validated": 0.7,
    "of the origin inductor": 0.3, "graded within in accuracy": 0.2,
    "graded mixed in computed by": 0.1, "differentiable": 0.3,
    "of the difficulty hard": 0.25, "found to be vacuous": 0.08,
}  # fmt: skip
WEIGHTS = {
    "a near-duplicate": -3.0, "in a benchmark": -4.0, "validated": 3.0,
    "of the origin inductor": -0.5, "graded within in accuracy": -0.7,
    "graded mixed in computed by": -0.5, "found to be vacuous": -3.0, "speed": 0.8,
}  # fmt: skip


def evidence(random: Random) -> Features:
    marks = {name: float(random.random() < share) for name, share in MARKS.items()}
    return {**marks, "length": random.gauss(9, 1.5), "speed": random.gauss(0.3, 0.8)}


def simulated(features: Features, random: Random) -> bool:
    score = sum(weight * features[name] for name, weight in WEIGHTS.items())
    return (score > 0) != (random.random() < NOISE)


def scripted(features: Features, _: Random) -> bool:
    if not features["validated"] or features["a near-duplicate"] or features["in a benchmark"]:
        return False
    weak = features["graded within in accuracy"] or features["graded mixed in computed by"]
    return not (weak and features["of the origin inductor"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=7)
    seed = parser.parse_args().seed
    sets: dict[str, Callable[[Features, Random], bool]] = {
        "simulated": simulated, "scripted": scripted,
    }  # fmt: skip
    for name, decide in sets.items():
        for size in SIZES:
            random = Random(seed)  # noqa: S311 - no secret
            rows = [evidence(random) for _ in range(size)]
            decisions = [decide(row, random) for row in rows]
            started = time.perf_counter()
            model = learn(rows, decisions)
            seconds = time.perf_counter() - started
            ceiling = 1 - NOISE if name == "simulated" else 1.0
            print(
                f"{name:10} {size:5,} decisions  agreement {model.agreement:.1%}  baseline "
                f"{model.baseline:.1%}  ceiling {ceiling:.0%}  learned in {seconds:.2f} s"
            )


if __name__ == "__main__":
    main()
