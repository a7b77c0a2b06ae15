"""Speed of the reward service, and a stand-in for a policy that tries all faults of the zoo.

    python -m benchmarks.measure_rewards speed policy --out FOLDER [--device cuda] [--jobs N]

Each part starts a service of its own, on a UNIX socket. Its figures go to FOLDER/PART.jsonl, one
JSON object a line. The exit code is 0 if no answer was unexpected. Needs torch, triton, numpy,
pytest, prometheus_client, this package and the zoo; no Django.

- speed: answers a second and the time of an answer, by tier and number of clients. Each client asks
  for one kernel at a time, in turn right and wrong ones of several references.
- policy: for each honest entry of the zoo a group of its own kernel and all faulty ones. Only right
  kernels may earn the full reward, and the service's memory stays flat from round to round.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.process_usage import descends, processes, resident
from tests.hostile.zoo.catalog import Danger, Needs, Verdict
from tests.hostile.zoo.load import Entry, honest_entries, zoo
from validation.rewards.answer import RewardAnswer, Tier
from validation.rewards.client import Client
from validation.rewards.scale import RIGHT

# Expected outcomes of the zoo with which a kernel is right: it passes, perhaps with a note.
PASSES = {Verdict.PASSED, Verdict.DIFFERS, Verdict.WEAK, Verdict.NARROW, Verdict.UNVARIED}
HANGING = 15.0
# Growth of the service's own memory from the first round to the last that is no leak.
GROWTH_MIB = 64
WARM_UP_SECONDS = 300


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="+", choices=list(PARTS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", choices=("cuda", "interpreter"), default="cuda")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--share", type=int, default=16)
    parser.add_argument("--timing", action="store_true", help="with the bonus for speed")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--requests", type=int, default=128, help="by tier and number of clients")
    parser.add_argument("--references", type=int, default=8, help="of speed")
    parser.add_argument("--rounds", type=int, default=2, help="of policy")
    parser.add_argument("--representatives", action="store_true", help="one fault of each kind")
    parser.add_argument("--most", type=int, default=1000, help="proposals of a group")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    return max(PARTS[part](arguments) for part in arguments.parts)


class Notes:
    """Figures as they come: on the screen, and a line of JSON each."""

    def __init__(self, part: str, arguments: argparse.Namespace) -> None:
        self.file = (arguments.out / f"{part}.jsonl").open("w")
        self("host", cpus=len(os.sched_getaffinity(0)), load=os.getloadavg()[0],
             device=arguments.device, jobs=arguments.jobs, share=arguments.share,
             python=platform.python_version(), torch=version("torch"),
             triton=version("triton"))  # fmt: skip

    def __call__(self, name: str, **figures: Any) -> None:
        self.file.write(json.dumps({"name": name, **figures}) + "\n")
        self.file.flush()
        shown = ", ".join(
            f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}"
            for key, value in figures.items()
        )
        print(f"{name:24} {shown}", flush=True)


@dataclass(frozen=True, slots=True)
class Service:
    """A service in its own process."""

    client: Client
    pid: int

    def memory(self) -> dict[str, int]:
        """Return the process's own memory in MiB, and the number of processes below it."""
        tree = processes()
        below = sum(descends(pid, self.pid, tree) for pid in tree)
        return {"own_mib": resident(self.pid), "processes": below}


@contextmanager
def serving(
    arguments: argparse.Namespace, entries: Sequence[Entry], timeout: float
) -> Iterator[Service]:
    with tempfile.TemporaryDirectory() as folder:
        known, path = Path(folder) / "entries.jsonl", Path(folder) / "rewards"
        known.write_text("".join(json.dumps(entry.record()) + "\n" for entry in entries))
        command = [
            sys.executable, "-m", "validation.harness", "serve", "--entries", known,
            "--socket", path, "--device", arguments.device, "--jobs", arguments.jobs,
            "--share", arguments.share, "--timeout", timeout, "--queue", 128,
            *(["--timing"] if arguments.timing else []),
        ]  # fmt: skip
        with subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                print(process.stdout.readline().strip(), flush=True)
                yield Service(Client(f"unix:{path}"), process.pid)
            finally:
                process.terminate()
                process.wait(60)


# --- How fast? ------------------------------------------------------------------------------
def measure_speed(arguments: argparse.Namespace) -> int:
    notes = Notes("speed", arguments)
    honest = [entry for entry in honest_entries() if entry.needs is Needs.NOTHING]
    entries = honest[:: max(1, len(honest) // arguments.references)][: arguments.references]
    kernels = [kernel for entry in entries for kernel in (right(entry), wrong(entry))]
    unexpected = 0
    with serving(arguments, entries, 60.0) as service:
        for tier in Tier:
            # The first of each reference makes its answers.
            started = time.monotonic()
            service.client.ask_all([{**kernel, "tier": str(tier)} for kernel in kernels[::2]])
            notes("references", tier=tier, count=len(entries), seconds=time.monotonic() - started)
            for clients in arguments.clients:
                requests = [
                    {**kernels[number % len(kernels)], "tier": str(tier)}
                    for number in range(arguments.requests)
                ]
                started = time.monotonic()
                answers, times = ask_in_parallel(service.client, requests, clients)
                seconds = time.monotonic() - started
                unexpected += sum(answer.reward is None for answer in answers)
                notes(
                    "speed", tier=tier, clients=clients, requests=len(answers),
                    per_second=len(answers) / seconds, median=statistics.median(times),
                    p95=percentile(times, 95),
                    judged_in=statistics.median(answer.seconds for answer in answers),
                    not_judged=sum(answer.reward is None for answer in answers),
                    **service.memory(),
                )  # fmt: skip
    return int(bool(unexpected))


def right(entry: Entry) -> dict[str, Any]:
    return {"reference": entry.record()["id"], "triton_code": entry.code.triton_code}


def wrong(entry: Entry) -> dict[str, Any]:
    """Return a request with a kernel that stores what it should, and one more."""
    before, _, after = entry.code.triton_code.partition("tl.store(")
    return {**right(entry), "triton_code": f"{before}tl.store(1 + {after}"}


def ask_in_parallel(
    client: Client, requests: Sequence[dict[str, Any]], clients: int
) -> tuple[list[RewardAnswer], list[float]]:
    answers: list[RewardAnswer] = []
    times: list[float] = []
    left = iter(requests)
    lock = threading.Lock()

    def ask() -> None:
        while True:
            with lock:
                request = next(left, None)
            if request is None:
                return
            started = time.monotonic()
            (answer,) = client.ask_all([request])
            with lock:
                answers.append(answer)
                times.append(time.monotonic() - started)

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers, times


def percentile(values: Sequence[float], share: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * share // 100)]


# --- Is it safe to train on? ----------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Proposal:
    """A kernel. `may_be_full`, `must_be_full`: it may earn the full reward, and it has to."""

    name: str
    request: dict[str, Any]
    may_be_full: bool
    must_be_full: bool


def measure_policy(arguments: argparse.Namespace) -> int:
    notes = Notes("policy", arguments)
    bases = [entry for entry in honest_entries() if is_for(entry, arguments.device)]
    groups = [group for entry in bases if (group := proposals(entry, arguments))]
    unexpected, memory = 0, []
    with serving(arguments, bases, HANGING) as service:
        for number in range(1, arguments.rounds + 1):
            started, rewards = time.monotonic(), list[float | None]()
            for group in groups:
                requests = [{**proposal.request, "tier": "full"} for proposal in group]
                answers = service.client.ask_all(requests)
                rewards += [answer.reward for answer in answers]
                for proposal, answer in zip(group, answers, strict=True):
                    if answer.reward is None:
                        notes(f"-- {proposal.name}", message=answer.message)
                    if not is_expected(proposal, answer):
                        unexpected += 1
                        notes(f"!! {proposal.name}", reward=answer.reward, verdict=answer.verdict,
                              message=answer.message)  # fmt: skip
            memory.append(service.memory())
            seconds = time.monotonic() - started
            notes("round", number=number, groups=len(groups), proposals=len(rewards),
                  full=sum(reward is not None and reward >= RIGHT for reward in rewards),
                  not_judged=rewards.count(None), seconds=seconds, **memory[-1])  # fmt: skip
    growth = memory[-1]["own_mib"] - memory[0]["own_mib"]
    notes("policy", unexpected=unexpected, growth_mib=growth)
    return int(bool(unexpected) or growth > GROWTH_MIB)


def is_expected(proposal: Proposal, answer: RewardAnswer) -> bool:
    """Return whether right kernels alone have the full reward.

    A faulty one may miss its verdict: on a loaded machine a hanging kernel is excused.
    """
    is_full = answer.reward is not None and answer.reward >= RIGHT
    return proposal.may_be_full if is_full else not proposal.must_be_full


def is_for(entry: Entry, device: str) -> bool:
    return entry.needs in (Needs.NOTHING, Needs.GPU if device == "cuda" else Needs.INTERPRETER)


def proposals(base: Entry, arguments: argparse.Namespace) -> list[Proposal]:
    """Return the kernels of the zoo that a policy could propose for this entry's reference."""
    made = []
    for entry in zoo():
        same = (entry.code.python_code, entry.code.test_code, entry.entry_point) == (
            base.code.python_code, base.code.test_code, base.entry_point,
        )  # fmt: skip
        if not same or not is_for(entry, arguments.device):
            continue
        if arguments.representatives and not entry.is_representative:
            continue
        request = {**right(base), "triton_code": entry.code.triton_code}
        may, must = bool(entry.expected & PASSES), not entry.cheat
        made.append(Proposal(entry.name, request, may, must))
    # One that hangs shares its batch with as few others as may be: it comes last.
    hangs = {e.name for e in zoo() if e.cheat and Danger.HANGS in e.cheat.dangers}
    made.sort(key=lambda proposal: proposal.name in hangs)
    return made[:: max(1, len(made) // arguments.most)]


PARTS = {"speed": measure_speed, "policy": measure_policy}

if __name__ == "__main__":
    sys.exit(main())
