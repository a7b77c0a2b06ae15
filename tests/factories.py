"""Rows for tests: real ones, unique by default, every column open to `**over`."""

import hashlib
import uuid
from datetime import timedelta
from itertools import count
from typing import Any, TypeVar

from django.contrib.auth.models import Group, Permission, User
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from curation import models
from curation.decisions.decide import decide
from curation.models import Device, Kernel, OperationType, Pair, Status
from curation.people import CURATORS, GRANTED, REVIEWERS
from curation.web import tokens

Row = TypeVar("Row", bound=Model)

PASSWORD = "correct horse battery staple"

KERNEL_SOURCE = """\
@triton.jit
def {name}(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)
"""

_numbers = count(1)


def sha(text: object) -> str:
    return hashlib.sha256(str(text).encode()).hexdigest()


def _row(model: type[Row], over: dict[str, Any], /, **defaults: Any) -> Row:
    """Create a row. A default that is a function is called if `over` gives no value."""
    values = {**defaults, **over}
    made = {name: value() if callable(value) else value for name, value in values.items()}
    return model._default_manager.create(**made)


def _about(over: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a row about a new kernel, or about the item that `over` names."""
    return over if "kernel" in over or "pair" in over else {"kernel": a_kernel(), **over}


def _of_content(over: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a row about an item with its present content."""
    over = _about(over)
    item = over.get("kernel") or over.get("pair")
    return {"content_hash": item.content_hash if item else sha(1), **over}


# --- People ---------------------------------------------------------------------------------
def a_group(name: str) -> Group:
    """The group, made again where a transactional test has emptied the database before."""
    group, made = Group.objects.get_or_create(name=name)
    for permission in GRANTED.get(name, ()) if made else ():
        app, codename = permission.split(".")
        group.permissions.add(
            Permission.objects.get(content_type__app_label=app, codename=codename)
        )
    return group


def a_person(**over: Any) -> User:
    """A user in no group, with `PASSWORD`."""
    return User.objects.create_user(
        **{"username": f"person{next(_numbers)}", "password": PASSWORD, **over}
    )


def a_reviewer(**over: Any) -> User:
    person = a_person(**over)
    person.groups.add(a_group(REVIEWERS))
    return person


def a_curator(**over: Any) -> User:
    person = a_person(**{"is_staff": True, **over})
    person.groups.add(a_group(CURATORS))
    return person


def a_superuser(**over: Any) -> User:
    return a_person(**{"is_staff": True, "is_superuser": True, **over})


def a_browser(user: User) -> Client:
    """A browser in which `user` is logged in."""
    client = Client()
    client.force_login(user)
    return client


def bearer(user: User) -> dict[str, str]:
    """The headers of a program that has a token of `user`."""
    return {"Authorization": f"Bearer {tokens.make(user, 'tests')}"}


# --- Sources --------------------------------------------------------------------------------
def a_repository(**over: Any) -> models.Repository:
    name = over.setdefault("name", f"owner/repository{next(_numbers)}")
    return _row(models.Repository, over, url=f"https://github.com/{name}", category="utils")


def a_benchmark(**over: Any) -> models.Repository:
    return a_repository(**{"role": models.Role.BENCHMARK, **over})


def an_ingest_run(**over: Any) -> models.IngestRun:
    """Queued. Ended ones need `finished_at`, running ones `attempt_token` and `lease_until`."""
    return _row(models.IngestRun, over, repository=a_repository)


def a_drop(**over: Any) -> models.Drop:
    return _row(
        models.Drop,
        over,
        run=an_ingest_run,
        stage="isolate",
        path="a.py",
        reason="unparsable",
        message="No Python.",
    )


def a_source_file(**over: Any) -> models.SourceFile:
    number = next(_numbers)
    return _row(
        models.SourceFile,
        over,
        repository=a_repository,
        path=f"kernels/file{number}.py",
        commit="c" * 40,
        blob_hash=sha(number)[:40],
        sha256=sha(number),
        size=1000,
        lines=40,
    )


def a_source_text(**over: Any) -> models.SourceText:
    return _row(models.SourceText, over, sha256=sha(next(_numbers)), text="x = 1\n")


def a_license(**over: Any) -> models.License:
    expression = f"LicenseRef-{next(_numbers)}"
    return _row(
        models.License, over, expression=expression, verdict=models.LicenseVerdict.PERMISSIVE
    )


def an_opt_out(**over: Any) -> models.OptOut:
    return _row(models.OptOut, over, author="Ada Lovelace", reason="She wrote to us.")


def a_license_reading(**over: Any) -> models.LicenseReading:
    return _row(models.LicenseReading, over, key=f"blob {next(_numbers)}", findings="{}")


def some_license_evidence(**over: Any) -> models.LicenseEvidence:
    return _row(
        models.LicenseEvidence,
        over,
        repository=a_repository,
        verdict=models.LicenseVerdict.UNKNOWN,
        read_from=models.ReadFrom.REPOSITORY,
        path="LICENSE",
        detector="tests 1",
    )


# --- Items ----------------------------------------------------------------------------------
def a_kernel(**over: Any) -> Kernel:
    """Pending, standalone, of unknown license."""
    number = next(_numbers)
    name = over.setdefault("name", f"add_one_{number}")
    source = KERNEL_SOURCE.format(name=name)
    return _row(
        Kernel,
        over,
        content_hash=sha(f"kernel {number}"),
        kind=models.Kind.ENTRY,
        function_source=source,
        standalone=True,
        lines=4,
        tokens=60,
        standalone_source=f"import triton\nimport triton.language as tl\n\n\n{source}",
    )


def a_permissive_kernel(**over: Any) -> Kernel:
    """One that only waits for a person."""
    kernel = a_kernel(**{"license_verdict": models.LicenseVerdict.PERMISSIVE} | over)
    an_examination(kernel=kernel)
    return kernel


def an_approved_kernel(**over: Any) -> Kernel:
    """Approved by a person, with a permissive license: what an export takes."""
    if "license" not in over:
        over["license"] = a_license()
    kernel = a_permissive_kernel(**{"status": Status.APPROVED, "version": 2} | over)
    a_decision(kernel=kernel)
    return kernel


def a_provenance(**over: Any) -> models.Provenance:
    over["kernel"] = over.get("kernel") or a_kernel()
    return _row(
        models.Provenance,
        over,
        source_file=a_source_file,
        qualname=over["kernel"].name,
        start_line=1,
        end_line=4,
        sha256=sha(1),
    )


def a_pair(**over: Any) -> Pair:
    """Pending, of unknown license."""
    number = next(_numbers)
    return _row(
        Pair,
        over,
        content_hash=sha(f"pair {number}"),
        slug=f"add-{number}",
        entry_point="add",
        python_code="def add(x):\n    return x + 1\n",
        triton_code=KERNEL_SOURCE.format(name=f"add_{number}"),
        test_code="def test_add():\n    assert add(1) == 2\n",
        origin=models.PairOrigin.TEMPLATE,
        operation_type=OperationType.ELEMENT_WISE,
        difficulty=models.Difficulty.EASY,
    )


def an_approved_pair(**over: Any) -> Pair:
    """Approved by a person, permissive, and validated in the interpreter."""
    if "license" not in over:
        over["license"] = a_license()
    verdict = models.LicenseVerdict.PERMISSIVE
    pair = a_pair(**{"status": Status.APPROVED, "license_verdict": verdict, "version": 2} | over)
    a_decision(pair=pair)
    an_examination(pair=pair)
    run = a_validation_run(environment={"torch": "2.13.0", "triton": "3.9.0"})
    figures = {"cases": 7, "max_abs_error": 0.0}
    a_validation_check(result=a_validation_result(pair=pair, figures=figures, run=run))
    return pair


def a_pass_rate(**over: Any) -> models.PassRate:
    return _row(models.PassRate, over, pair=a_pair, model="some-7b", k=1, n=8, passed=2)


def a_draft(**over: Any) -> models.Draft:
    """Open, with a Triton side and no test."""
    number = next(_numbers)
    return _row(
        models.Draft,
        over,
        repository=a_repository,
        path=f"kernels/file{number}.py",
        operation=f"add_{number}",
        reason="no-test",
        slug=f"add-{number}",
        missing=[f"No test was found that uses add_{number}."],
        triton_code=KERNEL_SOURCE.format(name=f"add_{number}"),
        entry_point=f"run_add_{number}",
        operation_type=OperationType.ELEMENT_WISE,
        difficulty=models.Difficulty.EASY,
        split_group=f"operation:{number}",
    )


def a_finding(**over: Any) -> models.QualityFinding:
    defaults = {"gate": "length", "passed": True, "action": models.Action.WARN, "rules": "1"}
    return _row(models.QualityFinding, over, kernel=a_kernel, **defaults)


# --- Similarity -----------------------------------------------------------------------------
def a_fingerprint(**over: Any) -> models.Fingerprint:
    return _row(
        models.Fingerprint,
        _of_content(over),
        scheme="tests 1",
        syntax_hash=sha(2),
        token_count=60,
        signature=b"\0" * 8,
    )


def an_examination(**over: Any) -> models.Fingerprint:
    """The fingerprint of an item without near-duplicates, which no benchmark holds."""
    known = {
        "placed": True,
        "compared_with": "nothing",
        "status": Status.APPROVED,
        "license_verdict": models.LicenseVerdict.PERMISSIVE,
        "syntax_hash": sha(f"syntax {next(_numbers)}"),
    }
    return a_fingerprint(**known | over)


def a_band(**over: Any) -> models.Band:
    return _row(models.Band, over, fingerprint=a_fingerprint, number=0, value=1)


def a_duplicate_link(**over: Any) -> models.DuplicateLink:
    """Of a kernel, unless told otherwise."""
    over = _of_content(over)
    if "of_kernel" not in over and "of_pair" not in over:
        over |= {"of_kernel": a_kernel()} if over.get("kernel") else {"of_pair": a_pair()}
    of = over.get("of_kernel") or over.get("of_pair")
    return _row(
        models.DuplicateLink,
        over,
        likeness=models.Likeness.NEAR,
        similarity=0.9,
        of_content_hash=of.content_hash if of else sha(2),
    )


def a_copy_flag(**over: Any) -> models.CopyFlag:
    near = {"likeness": models.Likeness.NEAR, "similarity": 0.9}
    return _row(models.CopyFlag, over, kernel=a_kernel, blocked=a_kernel, **near)


def a_contamination_match(**over: Any) -> models.ContaminationMatch:
    return _row(
        models.ContaminationMatch,
        _of_content(over),
        benchmark=a_benchmark,
        problem="level1/1_add",
        path="level1/1_add.py",
        method=models.MatchMethod.NEAR,
        similarity=0.8,
    )


def an_operation_overlap(**over: Any) -> models.OperationOverlap:
    over = _of_content(over)
    return _row(models.OperationOverlap, over, benchmark=a_benchmark, problem="level1/1_add")


# --- Validation -----------------------------------------------------------------------------
def a_validation_run(**over: Any) -> models.ValidationRun:
    """Queued."""
    return _row(models.ValidationRun, over, device=Device.INTERPRETER)


def a_validation_result(**over: Any) -> models.ValidationResult:
    over = _of_content(over)
    return _row(models.ValidationResult, over, run=a_validation_run, verdict=models.Verdict.PASSED)


FULL_GRADES = {
    "accuracy": "exact", "sizes": "any", "values": "any", "special_values": "same",
    "computed_by": "triton", "launched": "all", "unvaried": [], "test_strength": "11 of 12",
}  # fmt: skip


def a_full_validation(pair: Pair, **grades: Any) -> models.ValidationResult:
    """On a GPU, passed, with all grades that a policy needs, except the named ones.

    A grade that is None is absent.
    """
    shown = {name: value for name, value in (FULL_GRADES | grades).items() if value is not None}
    run = a_validation_run(device=Device.CUDA)
    return a_validation_result(run=run, pair=pair, figures={"grades": shown})


def a_validation_check(**over: Any) -> models.ValidationCheck:
    defaults = {"name": "equal", "outcome": models.Outcome.PASSED}
    return _row(models.ValidationCheck, over, result=a_validation_result, **defaults)


def a_compiled_text(**over: Any) -> models.CompiledText:
    return _row(models.CompiledText, over, result=a_validation_result, name="ptx", compressed=b"")


# --- People and items -----------------------------------------------------------------------
def a_decision(**over: Any) -> models.Decision:
    """A reviewer's approval. Only the row: the item keeps its status."""
    return _row(
        models.Decision,
        _of_content(over),
        user=a_reviewer,
        version=1,
        status=Status.APPROVED,
        previous_status=Status.PENDING,
    )


def decided(
    item: Kernel | Pair, user: User | None = None, status: str = Status.APPROVED, **over: Any
) -> models.Decision:
    """Decide on an item as it is now."""
    item.refresh_from_db()
    over = {"version": item.version, "request": uuid.uuid4(), **over}
    made = decide(item=item, user=user or a_reviewer(), status=Status(status), **over)
    item.refresh_from_db()
    return made


def a_claim(**over: Any) -> models.Claim:
    until = timezone.now() + timedelta(minutes=10)
    return _row(models.Claim, _about(over), user=a_reviewer, token=uuid.uuid4, expires_at=until)


def a_skip(**over: Any) -> models.Skip:
    return _row(models.Skip, _about(over), user=a_reviewer)


def a_reason(**over: Any) -> models.DecisionReason:
    text = f"reason {next(_numbers)}"
    return _row(models.DecisionReason, over, status=Status.REJECTED, text=text)


def a_correction(**over: Any) -> models.Correction:
    return _row(models.Correction, _about(over), user=a_reviewer, before={}, after={})


def a_question(**over: Any) -> models.Question:
    return _row(models.Question, _about(over), asker=a_reviewer, text="Is it right?")


def a_guideline(**over: Any) -> models.Guideline:
    defaults = {"operation_type": OperationType.REDUCTION, "text": "Check the mask.\n"}
    return _row(models.Guideline, over, author=a_curator, **defaults)


def a_guideline_example(**over: Any) -> models.GuidelineExample:
    return _row(
        models.GuidelineExample,
        _about(over),
        added_by=a_curator,
        status=Status.APPROVED,
        operation_type=OperationType.REDUCTION,
        reason="It masks the last block.",
    )


def a_second_review(**over: Any) -> models.SecondReview:
    """Waiting for a reviewer."""
    first = over["first"] = over.get("first") or a_decision()
    return _row(models.SecondReview, over, kernel=first.kernel, pair=first.pair)


def a_dispute(**over: Any) -> models.SecondReview:
    """A second reviewer rejected what the first approved."""
    values = {"state": "disputed", "status": Status.REJECTED, "given_at": timezone.now()}
    return a_second_review(**{"user": a_reviewer, **values} | over)


def a_bulk_decision(**over: Any) -> models.BulkDecision:
    defaults = {"status": Status.REJECTED, "filter": "", "request": uuid.uuid4}
    return _row(models.BulkDecision, over, user=a_curator, **defaults)


def a_saved_view(**over: Any) -> models.SavedView:
    return _row(models.SavedView, over, user=a_reviewer, name=f"view {next(_numbers)}", query="")


def an_api_token(**over: Any) -> models.ApiToken:
    digest = sha(next(_numbers))
    return _row(models.ApiToken, over, user=a_reviewer, name="script", digest=digest)


def an_invitation(**over: Any) -> models.Invitation:
    over.setdefault("group", a_group(REVIEWERS))
    return _row(models.Invitation, over, username=f"invited{next(_numbers)}")


def a_login_failure(**over: Any) -> models.LoginFailure:
    return _row(models.LoginFailure, over, name="ada", address="127.0.0.1")


def some_figures(**over: Any) -> models.Figures:
    name = f"figures {next(_numbers)}"
    return _row(models.Figures, over, name=name, value={}, gathered_at=timezone.now)


def a_release(**over: Any) -> models.Release:
    return _row(models.Release, over, name=f"release-{next(_numbers)}", code_version="0")


def a_release_member(**over: Any) -> models.ReleaseMember:
    defaults = {"record_id": f"record-{next(_numbers)}", "split": models.Split.TRAIN}
    return _row(models.ReleaseMember, _of_content(over), release=a_release, **defaults)


def a_release_file(**over: Any) -> models.ReleaseFile:
    defaults = {"path": "NOTICE", "number": next(_numbers), "data": b""}
    return _row(models.ReleaseFile, over, release=a_release, **defaults)


def a_split_assignment(**over: Any) -> models.SplitAssignment:
    plan = "90/5/5, seed 0"
    return _row(models.SplitAssignment, _about(over), plan=plan, split=models.Split.TRAIN)


def a_withdrawal(**over: Any) -> models.Withdrawal:
    defaults = {"reason": "license", "message": "Its license is blocked."}
    return _row(models.Withdrawal, over, member=a_release_member, **defaults)


def an_export_run(**over: Any) -> models.ExportRun:
    """Queued."""
    return models.ExportRun.objects.create(**over)


def a_tried_case(**over: Any) -> models.TriedCase:
    """Queued."""
    over = _of_content({**over, "pair": over.get("pair") or a_pair()})
    return _row(models.TriedCase, over, device="interpreter", place=0)


def a_repair_trace(**over: Any) -> models.RepairTrace:
    over = _of_content({**over, "pair": over.get("pair") or a_pair()})
    number = next(_numbers)
    return _row(
        models.RepairTrace,
        over,
        kind="missing-load-mask",
        faulty_hash=sha(f"fault {number}"),
        faulty_code=f"{over['pair'].triton_code}# fault {number}\n",
        line=1,
        device=Device.INTERPRETER,
        verdict=models.Verdict.FAILED,
        message="accuracy: 3 of 7 elements are wrong",
        why="Line 1, `x = tl.load(p)`: the load has no mask.",
    )


def a_line_comment(**over: Any) -> models.LineComment:
    over = _of_content(over)
    file = (over.get("kernel") or over["pair"]).SOURCES[0]
    return _row(models.LineComment, over, author=a_reviewer, file=file, line=1, text="Why?")


def a_notice(**over: Any) -> models.Notice:
    values = {"kind": "run", "text": "Ended.", "url": "/runs/", "event": f"run-{next(_numbers)}"}
    return _row(models.Notice, over, user=a_reviewer, **values)


def a_notice_choice(**over: Any) -> models.NoticeChoice:
    return _row(models.NoticeChoice, over, user=a_reviewer)


def running(**over: Any) -> dict[str, Any]:
    """The columns of a run that a worker holds."""
    now = timezone.now()
    return {
        "state": "running",
        "attempts": 1,
        "attempt_token": uuid.uuid4(),
        "lease_until": now + timedelta(hours=1),
        "started_at": now - timedelta(minutes=2),
        "stage_started_at": now - timedelta(minutes=1),
        **over,
    }


def batch(*items: Kernel | Pair) -> list[list[Any]]:
    """The items of a run, as its row names them."""
    return [[item._meta.model_name, item.pk, item.content_hash] for item in items]


def runs_of_all_kinds() -> list[models.Run]:
    """Running, failed, cancelled and queued ones, with items, drops and a log."""
    now = timezone.now()
    ended: dict[str, Any] = {"started_at": now, "finished_at": now}
    pairs, kernels = [a_pair() for _ in range(3)], [a_kernel() for _ in range(2)]
    checked = a_validation_run(
        **running(stage="checking", done=1, total=3),
        batch=batch(*pairs),
        log="2026-11-25 14:00:00 Attempt 1 begins\n2026-11-25 14:00:20 checking: 0 of 3",
    )
    message = "accuracy: 3 of 7 cases"
    a_validation_result(run=checked, pair=pairs[0], verdict="failed", message=message, seconds=2.5)
    compiled = a_validation_run(
        device=Device.COMPILER,
        state="cancelled",
        message="Cancelled by ada.",
        **ended,
        attempts=1,
        total=2,
        batch=batch(*kernels),
    )
    read = an_ingest_run(
        state="failed",
        message="There is no repository at https://github.com/owner/name.git.",
        **ended,
        attempts=3,
        funnel={"files": 3, "found": 2},
        log="2026-11-25 14:00:00 Attempt 1 begins",
    )
    a_drop(run=read, path="a/long/path/" * 8 + "of_a_file.py")
    return [checked, compiled, read, an_export_run(name="2026-11"), an_export_run(retry_of=None)]


def a_lease(**over: Any) -> models.Lease:
    until = timezone.now() + timedelta(minutes=1)
    name = f"duty-{next(_numbers)}"
    return _row(models.Lease, over, name=name, holder="host:1", expires_at=until)
