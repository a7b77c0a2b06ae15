"""Inputs of an entry with its reference's answers, and check 7 of its test.

No process used here has the launcher's text, so the results hold for each launcher of a reference.
"""

from dataclasses import dataclass

from validation.harness.judge.falsifiable import falsifiable
from validation.harness.judge.replay_evidence import Wanted
from validation.harness.plan.choice import group_by_values, with_domain
from validation.harness.plan.trials import TrialInputs, load_constants, make_trials
from validation.harness.pool.children import Child
from validation.harness.report import Check
from validation.harness.session.entry_session import Session
from validation.harness.session.references import ask_reference


@dataclass(frozen=True, slots=True)
class Answered:
    """Inputs of an entry, and the reference's answers by trial number.

    tolerance: the constant of that name in the test.
    device: device on which the reference ran.
    """

    tolerance: dict[str, tuple[float, float]]
    tried: TrialInputs
    wanted: dict[int, Wanted]
    device: str


def load_answered(session: Session, author: Child) -> Answered:
    """Have processes make the inputs and run the reference. Raise Stopped if either fails."""
    constants = load_constants(session, author)
    tried = make_trials(session, author, constants)
    wanted, device = ask_reference(session, tried.inputs)
    tried, wanted = tried.without_refused(wanted, session), with_domain(tried.inputs.trials, wanted)
    return Answered(constants.tolerance, tried, wanted, device)


def check_test(session: Session, author: Child, answered: Answered) -> Check:
    """Run the entry's test on damaged answers, on a GPU if the test needs one.

    author: the process that made the inputs.
    """
    tried = answered.tried
    order = {
        "instead": [[case.case, case.instead] for case in tried.too_large],
        "gradients": session.entry.differentiable,
    }
    header = session.ask(author, "author", "damage", order).header
    if session.options.device == "cuda" and (header["control"] or header["skipped"]):
        with session.candidate("author") as child:
            load_constants(session, child, on_gpu=True)
            header = session.ask(child, "author", "damage", order).header
    trials = tried.inputs.trials
    shown = [trial.number for trial in trials if trial.kind == "shown"]
    return falsifiable(dict(header), answered.wanted, shown, group_by_values(trials))
