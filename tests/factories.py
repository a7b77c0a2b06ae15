"""Rows for tests: real ones, unique by default, every column open to `**over`."""

import hashlib
import uuid
from datetime import timedelta
from itertools import count
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.utils import timezone

from curation.models import (
    Action,
    Agreement,
    ApiToken,
    Band,
    BulkDecision,
    Category,
    Claim,
    CompiledText,
    ContaminationMatch,
    CopyFlag,
    Correction,
    Decision,
    DecisionReason,
    Device,
    Difficulty,
    Draft,
    Drop,
    DuplicateLink,
    ExportRun,
    Figures,
    Fingerprint,
    Guideline,
    GuidelineExample,
    IngestRun,
    Invitation,
    Kernel,
    Kind,
    Lease,
    License,
    LicenseEvidence,
    LicenseReading,
    LicenseVerdict,
    Likeness,
    LineComment,
    LoginFailure,
    MatchMethod,
    Notice,
    NoticeChoice,
    OperationOverlap,
    OperationType,
    OptOut,
    Outcome,
    Pair,
    PairOrigin,
    PassRate,
    Provenance,
    QualityFinding,
    Question,
    ReadFrom,
    Release,
    ReleaseFile,
    ReleaseMember,
    RepairTrace,
    Repository,
    Role,
    Run,
    SavedView,
    SecondReview,
    Skip,
    SourceFile,
    SourceText,
    Split,
    SplitAssignment,
    Status,
    TriedCase,
    ValidationCheck,
    ValidationResult,
    ValidationRun,
    Verdict,
    Withdrawal,
)
from curation.people import CURATORS, GRANTED, REVIEWERS

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
    """Somebody in no group, with `PASSWORD`."""
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


# --- Sources --------------------------------------------------------------------------------
def a_repository(**over: Any) -> Repository:
    name = over.setdefault("name", f"owner/repository{next(_numbers)}")
    return Repository.objects.create(
        **{"url": f"https://github.com/{name}", "category": Category.UTILS, **over}
    )


def a_benchmark(**over: Any) -> Repository:
    return a_repository(**{"role": Role.BENCHMARK, **over})


def an_ingest_run(**over: Any) -> IngestRun:
    """Queued. Ended ones need `finished_at`, running ones `attempt_token` and `lease_until`."""
    over["repository"] = over.get("repository") or a_repository()
    return IngestRun.objects.create(**over)


def a_drop(**over: Any) -> Drop:
    over["run"] = over.get("run") or an_ingest_run()
    values = {"stage": "isolate", "path": "a.py", "reason": "unparsable", "message": "No Python."}
    return Drop.objects.create(**values | over)


def a_source_file(**over: Any) -> SourceFile:
    number = next(_numbers)
    over["repository"] = over.get("repository") or a_repository()
    values = {
        "path": f"kernels/file{number}.py",
        "commit": "c" * 40,
        "blob_hash": sha(number)[:40],
        "sha256": sha(number),
        "size": 1000,
        "lines": 40,
    }
    return SourceFile.objects.create(**values | over)


def a_source_text(**over: Any) -> SourceText:
    return SourceText.objects.create(**{"sha256": sha(next(_numbers)), "text": "x = 1\n"} | over)


def a_license(**over: Any) -> License:
    values = {
        "expression": f"LicenseRef-{next(_numbers)}",
        "verdict": LicenseVerdict.PERMISSIVE,
    }
    return License.objects.create(**values | over)


def an_opt_out(**over: Any) -> OptOut:
    defaults: dict[str, Any] = {"author": "Ada Lovelace", "reason": "She wrote to us."}
    return OptOut.objects.create(**(defaults | over))


def a_license_reading(**over: Any) -> LicenseReading:
    return LicenseReading.objects.create(
        **{"key": f"blob {next(_numbers)}", "findings": "{}"} | over
    )


def some_license_evidence(**over: Any) -> LicenseEvidence:
    over["repository"] = over.get("repository") or a_repository()
    values = {
        "verdict": LicenseVerdict.UNKNOWN,
        "read_from": ReadFrom.REPOSITORY,
        "path": "LICENSE",
        "detector": "tests 1",
    }
    return LicenseEvidence.objects.create(**values | over)


# --- Items ----------------------------------------------------------------------------------
def a_kernel(**over: Any) -> Kernel:
    """Pending, standalone, of unknown licence."""
    number = next(_numbers)
    name = over.setdefault("name", f"add_one_{number}")
    source = KERNEL_SOURCE.format(name=name)
    values = {
        "content_hash": sha(f"kernel {number}"),
        "kind": Kind.ENTRY,
        "function_source": source,
        "standalone_source": f"import triton\nimport triton.language as tl\n\n\n{source}",
        "standalone": True,
        "lines": 4,
        "tokens": 60,
    }
    return Kernel.objects.create(**values | over)


def a_permissive_kernel(**over: Any) -> Kernel:
    """One that only waits for a person."""
    kernel = a_kernel(**{"license_verdict": LicenseVerdict.PERMISSIVE} | over)
    an_examination(kernel=kernel, content_hash=kernel.content_hash)
    return kernel


def an_approved_kernel(**over: Any) -> Kernel:
    """Approved by a person, with a permissive licence: what an export takes."""
    if "license" not in over:
        over["license"] = a_license()
    values = {
        "status": Status.APPROVED,
        "version": 2,
    }
    kernel = a_permissive_kernel(**values | over)
    a_decision(kernel=kernel, content_hash=kernel.content_hash)
    return kernel


def a_provenance(**over: Any) -> Provenance:
    over["kernel"] = over.get("kernel") or a_kernel()
    over["source_file"] = over.get("source_file") or a_source_file()
    values = {"qualname": over["kernel"].name, "start_line": 1, "end_line": 4, "sha256": sha(1)}
    return Provenance.objects.create(**values | over)


def a_pair(**over: Any) -> Pair:
    """Pending, of unknown licence."""
    number = next(_numbers)
    values = {
        "content_hash": sha(f"pair {number}"),
        "slug": f"add-{number}",
        "entry_point": "add",
        "python_code": "def add(x):\n    return x + 1\n",
        "triton_code": KERNEL_SOURCE.format(name=f"add_{number}"),
        "test_code": "def test_add():\n    assert add(1) == 2\n",
        "origin": PairOrigin.TEMPLATE,
        "operation_type": OperationType.ELEMENT_WISE,
        "difficulty": Difficulty.EASY,
    }
    return Pair.objects.create(**values | over)


def an_approved_pair(**over: Any) -> Pair:
    """Approved by a person, permissive, and validated in the interpreter."""
    if "license" not in over:
        over["license"] = a_license()
    values = {
        "status": Status.APPROVED,
        "license_verdict": LicenseVerdict.PERMISSIVE,
        "version": 2,
    }
    pair = a_pair(**values | over)
    a_decision(pair=pair, content_hash=pair.content_hash)
    an_examination(pair=pair, content_hash=pair.content_hash)
    a_validation_check(
        result=a_validation_result(
            pair=pair,
            content_hash=pair.content_hash,
            figures={"cases": 7, "max_abs_error": 0.0},
            run=a_validation_run(environment={"torch": "2.13.0", "triton": "3.9.0"}),
        )
    )
    return pair


def a_pass_rate(**over: Any) -> PassRate:
    over["pair"] = over.get("pair") or a_pair()
    return PassRate.objects.create(**{"model": "some-7b", "k": 1, "n": 8, "passed": 2} | over)


def a_draft(**over: Any) -> Draft:
    """Open, with a Triton side and no test."""
    number = next(_numbers)
    over["repository"] = over.get("repository") or a_repository()
    values = {
        "path": f"kernels/file{number}.py",
        "operation": f"add_{number}",
        "reason": "no-test",
        "missing": [f"No test was found that uses add_{number}."],
        "triton_code": KERNEL_SOURCE.format(name=f"add_{number}"),
        "entry_point": f"run_add_{number}",
        "slug": f"add-{number}",
        "operation_type": OperationType.ELEMENT_WISE,
        "difficulty": Difficulty.EASY,
        "split_group": f"operation:{number}",
    }
    return Draft.objects.create(**values | over)


def a_finding(**over: Any) -> QualityFinding:
    over["kernel"] = over.get("kernel") or a_kernel()
    values = {"gate": "length", "passed": True, "action": Action.WARN, "rules": "1"}
    return QualityFinding.objects.create(**values | over)


# --- Similarity -----------------------------------------------------------------------------
def a_fingerprint(**over: Any) -> Fingerprint:
    values = {
        "scheme": "tests 1",
        "content_hash": sha(1),
        "syntax_hash": sha(2),
        "token_count": 60,
        "signature": b"\0" * 8,
    }
    return Fingerprint.objects.create(**values | _about(over))


def an_examination(**over: Any) -> Fingerprint:
    """The fingerprint of an item without twins, which no benchmark holds."""
    known = {
        "placed": True,
        "compared_with": "nothing",
        "status": Status.APPROVED,
        "license_verdict": LicenseVerdict.PERMISSIVE,
        "syntax_hash": sha(f"syntax {next(_numbers)}"),
    }
    return a_fingerprint(**known | over)


def a_band(**over: Any) -> Band:
    over["fingerprint"] = over.get("fingerprint") or a_fingerprint()
    return Band.objects.create(**{"number": 0, "value": 1} | over)


def a_duplicate_link(**over: Any) -> DuplicateLink:
    """Of a kernel, unless told otherwise."""
    over = _about(over)
    if "of_kernel" not in over and "of_pair" not in over:
        over |= {"of_kernel": a_kernel()} if over.get("kernel") else {"of_pair": a_pair()}
    values = {
        "likeness": Likeness.NEAR,
        "similarity": 0.9,
        "content_hash": sha(1),
        "of_content_hash": sha(2),
    }
    return DuplicateLink.objects.create(**values | over)


def a_copy_flag(**over: Any) -> CopyFlag:
    over["kernel"] = over.get("kernel") or a_kernel()
    over["blocked"] = over.get("blocked") or a_kernel()
    return CopyFlag.objects.create(**{"likeness": Likeness.NEAR, "similarity": 0.9} | over)


def a_contamination_match(**over: Any) -> ContaminationMatch:
    over["benchmark"] = over.get("benchmark") or a_benchmark()
    values = {
        "problem": "level1/1_add",
        "path": "level1/1_add.py",
        "method": MatchMethod.NEAR,
        "similarity": 0.8,
        "content_hash": sha(1),
    }
    return ContaminationMatch.objects.create(**values | _about(over))


def an_operation_overlap(**over: Any) -> OperationOverlap:
    over["benchmark"] = over.get("benchmark") or a_benchmark()
    values = {"problem": "level1/1_add", "content_hash": sha(1)}
    return OperationOverlap.objects.create(**values | _about(over))


# --- Validation -----------------------------------------------------------------------------
def a_validation_run(**over: Any) -> ValidationRun:
    """Queued."""
    return ValidationRun.objects.create(**{"device": Device.INTERPRETER} | over)


def a_validation_result(**over: Any) -> ValidationResult:
    over["run"] = over.get("run") or a_validation_run()
    values = {"content_hash": sha(1), "verdict": Verdict.PASSED}
    return ValidationResult.objects.create(**values | _about(over))


FULL_GRADES = {
    "accuracy": "exact", "sizes": "any", "values": "any", "special_values": "same",
    "computed_by": "triton", "launched": "all", "unvaried": [], "test_strength": "11 of 12",
}  # fmt: skip


def a_full_validation(pair: Pair, **grades: Any) -> ValidationResult:
    """On a GPU, passed, with all grades that a policy needs, except the named ones.

    A grade that is None is absent.
    """
    shown = {name: value for name, value in (FULL_GRADES | grades).items() if value is not None}
    return a_validation_result(
        run=a_validation_run(device=Device.CUDA),
        pair=pair,
        content_hash=pair.content_hash,
        figures={"grades": shown},
    )


def a_validation_check(**over: Any) -> ValidationCheck:
    over["result"] = over.get("result") or a_validation_result()
    return ValidationCheck.objects.create(**{"name": "equal", "outcome": Outcome.PASSED} | over)


def a_compiled_text(**over: Any) -> CompiledText:
    over["result"] = over.get("result") or a_validation_result()
    return CompiledText.objects.create(**{"name": "ptx", "compressed": b""} | over)


# --- People and items -----------------------------------------------------------------------
def a_decision(**over: Any) -> Decision:
    """A reviewer's approval. Only the row: the item keeps its status."""
    if "user" not in over:
        over["user"] = a_reviewer()
    values = {
        "content_hash": sha(1),
        "version": 1,
        "status": Status.APPROVED,
        "previous_status": Status.PENDING,
    }
    return Decision.objects.create(**values | _about(over))


def a_claim(**over: Any) -> Claim:
    over["user"] = over.get("user") or a_reviewer()
    values = {"token": uuid.uuid4(), "expires_at": timezone.now() + timedelta(minutes=10)}
    return Claim.objects.create(**values | _about(over))


def a_skip(**over: Any) -> Skip:
    over["user"] = over.get("user") or a_reviewer()
    return Skip.objects.create(**_about(over))


def a_reason(**over: Any) -> DecisionReason:
    values = {"status": Status.REJECTED, "text": f"reason {next(_numbers)}"}
    return DecisionReason.objects.create(**values | over)


def a_correction(**over: Any) -> Correction:
    over["user"] = over.get("user") or a_reviewer()
    return Correction.objects.create(**{"before": {}, "after": {}} | _about(over))


def a_question(**over: Any) -> Question:
    over["asker"] = over.get("asker") or a_reviewer()
    return Question.objects.create(**{"text": "Is it right?"} | _about(over))


def a_guideline(**over: Any) -> Guideline:
    over["author"] = over.get("author") or a_curator()
    values = {"operation_type": OperationType.REDUCTION, "text": "Check the mask.\n"}
    return Guideline.objects.create(**values | over)


def a_guideline_example(**over: Any) -> GuidelineExample:
    over["added_by"] = over.get("added_by") or a_curator()
    values = {
        "operation_type": OperationType.REDUCTION,
        "status": Status.APPROVED,
        "reason": "It masks the last block.",
    }
    return GuidelineExample.objects.create(**values | _about(over))


def a_second_review(**over: Any) -> SecondReview:
    """Waiting for somebody."""
    over["first"] = over.get("first") or a_decision()
    about = {"kernel": over["first"].kernel, "pair": over["first"].pair}
    return SecondReview.objects.create(**about | over)


def a_dispute(**over: Any) -> SecondReview:
    """A second reviewer rejected what the first approved."""
    over["first"] = over.get("first") or a_decision(status=Status.APPROVED)
    over["user"] = over.get("user") or a_reviewer()
    values = {"state": Agreement.DISPUTED, "status": Status.REJECTED, "given_at": timezone.now()}
    return a_second_review(**values | over)


def a_bulk_decision(**over: Any) -> BulkDecision:
    over["user"] = over.get("user") or a_curator()
    values = {"status": Status.REJECTED, "filter": "", "request": uuid.uuid4()}
    return BulkDecision.objects.create(**values | over)


def a_saved_view(**over: Any) -> SavedView:
    over["user"] = over.get("user") or a_reviewer()
    return SavedView.objects.create(**{"name": f"view {next(_numbers)}", "query": ""} | over)


def an_api_token(**over: Any) -> ApiToken:
    over["user"] = over.get("user") or a_reviewer()
    return ApiToken.objects.create(**{"name": "script", "digest": sha(next(_numbers))} | over)


def an_invitation(**over: Any) -> Invitation:
    over["group"] = over.get("group") or a_group(REVIEWERS)
    return Invitation.objects.create(**{"username": f"invited{next(_numbers)}"} | over)


def a_login_failure(**over: Any) -> LoginFailure:
    return LoginFailure.objects.create(**{"name": "ada", "address": "127.0.0.1"} | over)


def some_figures(**over: Any) -> Figures:
    values = {"name": f"figures {next(_numbers)}", "value": {}, "gathered_at": timezone.now()}
    return Figures.objects.create(**values | over)


def a_release(**over: Any) -> Release:
    return Release.objects.create(
        **{"name": f"release-{next(_numbers)}", "code_version": "0"} | over
    )


def a_release_member(**over: Any) -> ReleaseMember:
    over["release"] = over.get("release") or a_release()
    values = {
        "record_id": f"record-{next(_numbers)}",
        "content_hash": sha(1),
        "split": Split.TRAIN,
    }
    return ReleaseMember.objects.create(**values | _about(over))


def a_release_file(**over: Any) -> ReleaseFile:
    over["release"] = over.get("release") or a_release()
    values = {"path": "NOTICE", "number": next(_numbers), "data": b""}
    return ReleaseFile.objects.create(**values | over)


def a_split_assignment(**over: Any) -> SplitAssignment:
    values = {"plan": "90/5/5, seed 0", "split": Split.TRAIN}
    return SplitAssignment.objects.create(**values | _about(over))


def a_withdrawal(**over: Any) -> Withdrawal:
    over["member"] = over.get("member") or a_release_member()
    values = {"reason": "license", "message": "Its license is blocked."}
    return Withdrawal.objects.create(**values | over)


def an_export_run(**over: Any) -> ExportRun:
    """Queued."""
    return ExportRun.objects.create(**over)


def a_tried_case(**over: Any) -> TriedCase:
    """Queued."""
    pair = over.pop("pair", None) or a_pair()
    return TriedCase.objects.create(
        **{"pair": pair, "content_hash": pair.content_hash, "device": "interpreter", "place": 0}
        | over
    )


def a_repair_trace(**over: Any) -> RepairTrace:
    pair = over.pop("pair", None) or a_pair()
    number = next(_numbers)
    values = {
        "pair": pair,
        "content_hash": pair.content_hash,
        "kind": "missing-load-mask",
        "faulty_code": f"{pair.triton_code}# fault {number}\n",
        "faulty_hash": sha(f"fault {number}"),
        "line": 1,
        "device": Device.INTERPRETER,
        "verdict": Verdict.FAILED,
        "message": "accuracy: 3 of 7 elements are wrong",
        "why": "Line 1, `x = tl.load(p)`: the load has no mask.",
    }
    return RepairTrace.objects.create(**values | over)


def a_line_comment(**over: Any) -> LineComment:
    over["author"] = over.get("author") or a_reviewer()
    about = _about(over)
    item = about.get("kernel") or about["pair"]
    values = {
        "content_hash": item.content_hash, "file": item.SOURCES[0], "line": 1, "text": "Why?",
    }  # fmt: skip
    return LineComment.objects.create(**values | about)


def a_notice(**over: Any) -> Notice:
    over["user"] = over.get("user") or a_reviewer()
    values = {"kind": "run", "text": "Ended.", "url": "/runs/", "event": f"run-{next(_numbers)}"}
    return Notice.objects.create(**values | over)


def a_notice_choice(**over: Any) -> NoticeChoice:
    return NoticeChoice.objects.create(**{"user": over.get("user") or a_reviewer()} | over)


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


def runs_of_all_kinds() -> list[Run]:
    """Running, failed, cancelled and queued ones, with items, drops and a log."""
    now = timezone.now()
    pairs, kernels = [a_pair() for _ in range(3)], [a_kernel() for _ in range(2)]
    checked = a_validation_run(
        **running(stage="checking", done=1, total=3),
        batch=[["pair", pair.pk, pair.content_hash] for pair in pairs],
        log="2026-11-25 14:00:00 Attempt 1 begins\n2026-11-25 14:00:20 checking: 0 of 3",
    )
    a_validation_result(
        run=checked,
        pair=pairs[0],
        verdict=Verdict.FAILED,
        message="accuracy: 3 of 7 cases",
        seconds=2.5,
    )
    compiled = a_validation_run(
        device=Device.COMPILER,
        state="cancelled",
        message="Cancelled by ada.",
        started_at=now,
        finished_at=now,
        attempts=1,
        total=2,
        batch=[["kernel", kernel.pk, kernel.content_hash] for kernel in kernels],
    )
    read = an_ingest_run(
        state="failed",
        message="There is no repository at https://github.com/owner/name.git.",
        started_at=now,
        finished_at=now,
        attempts=3,
        funnel={"files": 3, "found": 2},
        log="2026-11-25 14:00:00 Attempt 1 begins",
    )
    a_drop(run=read, path="a/long/path/" * 8 + "of_a_file.py")
    return [checked, compiled, read, an_export_run(name="2026-11"), an_export_run(retry_of=None)]


def a_lease(**over: Any) -> Lease:
    values = {
        "name": f"duty-{next(_numbers)}",
        "holder": "host:1",
        "expires_at": timezone.now() + timedelta(minutes=1),
    }
    return Lease.objects.create(**values | over)


def _about(over: dict[str, Any]) -> dict[str, Any]:
    """A new kernel, where the row is about nothing yet."""
    if "kernel" in over or "pair" in over:
        return over
    return {"kernel": a_kernel(), **over}
