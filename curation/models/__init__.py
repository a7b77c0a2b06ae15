"""The database models, one concept a file. They import nothing else of the project."""

from curation.models.api_token import ApiToken
from curation.models.bulk import BulkDecision
from curation.models.claim import Claim
from curation.models.compiled_graph import CompiledGraph
from curation.models.correction import Correction
from curation.models.decision import Actor, Decision
from curation.models.decision_reason import DecisionReason
from curation.models.draft import Draft, DraftState
from curation.models.drop import Drop
from curation.models.export_run import ExportRun
from curation.models.figures import Figures
from curation.models.ingest_run import IngestRun
from curation.models.invitation import Invitation, InvitationState
from curation.models.kernel import Kernel, Kind, Language
from curation.models.lease import Lease
from curation.models.license import License, LicenseEvidence, LicenseReading, ReadFrom
from curation.models.login_failure import LoginFailure
from curation.models.opt_out import OptOut
from curation.models.pair import Pair, PairOrigin
from curation.models.provenance import Container, Provenance
from curation.models.quality import QualityFinding
from curation.models.question import Question
from curation.models.release import (
    Release,
    ReleaseFile,
    ReleaseMember,
    Split,
    SplitAssignment,
    Withdrawal,
)
from curation.models.repository import Category, Condition, Origin, Repository, Role
from curation.models.run import Run, RunState
from curation.models.saved_view import SavedView
from curation.models.second_review import Agreement, SecondReview
from curation.models.similarity import (
    Band,
    ContaminationMatch,
    CopyFlag,
    DuplicateLink,
    Fingerprint,
    Likeness,
    MatchMethod,
    OperationOverlap,
)
from curation.models.skip import Skip
from curation.models.source_file import SourceFile
from curation.models.source_text import SourceText
from curation.models.validation_run import (
    Device,
    Outcome,
    ValidationCheck,
    ValidationResult,
    ValidationRun,
    Verdict,
)
from curation.models.vocabulary import (
    Action,
    Difficulty,
    Hardware,
    LicenseVerdict,
    OperationType,
    Status,
)

__all__ = [
    "Action",
    "Actor",
    "Agreement",
    "ApiToken",
    "Band",
    "BulkDecision",
    "Category",
    "Claim",
    "CompiledGraph",
    "Condition",
    "Container",
    "ContaminationMatch",
    "CopyFlag",
    "Correction",
    "Decision",
    "DecisionReason",
    "Device",
    "Difficulty",
    "Draft",
    "DraftState",
    "Drop",
    "DuplicateLink",
    "ExportRun",
    "Figures",
    "Fingerprint",
    "Hardware",
    "IngestRun",
    "Invitation",
    "InvitationState",
    "Kernel",
    "Kind",
    "Language",
    "Lease",
    "License",
    "LicenseEvidence",
    "LicenseReading",
    "LicenseVerdict",
    "Likeness",
    "LoginFailure",
    "MatchMethod",
    "OperationOverlap",
    "OperationType",
    "OptOut",
    "Origin",
    "Outcome",
    "Pair",
    "PairOrigin",
    "Provenance",
    "QualityFinding",
    "Question",
    "ReadFrom",
    "Release",
    "ReleaseFile",
    "ReleaseMember",
    "Repository",
    "Role",
    "Run",
    "RunState",
    "SavedView",
    "SecondReview",
    "Skip",
    "SourceFile",
    "SourceText",
    "Split",
    "SplitAssignment",
    "Status",
    "ValidationCheck",
    "ValidationResult",
    "ValidationRun",
    "Verdict",
    "Withdrawal",
]
