"""The database models, one file for each topic. They import no other code of the project."""

from curation.models.accounts import ApiToken, Invitation, InvitationState, LoginFailure, SavedView
from curation.models.evidence import (
    Band,
    ContaminationMatch,
    CopyFlag,
    DuplicateLink,
    Fingerprint,
    Likeness,
    MatchMethod,
    OperationOverlap,
    QualityFinding,
)
from curation.models.guidelines import Guideline, GuidelineExample
from curation.models.items import Kernel, Kind, Language, Pair, PairOrigin
from curation.models.licenses import License, LicenseEvidence, LicenseReading, ReadFrom
from curation.models.origins import Container, Draft, DraftState, Provenance
from curation.models.pass_rates import PassRate
from curation.models.releases import (
    Release,
    ReleaseFile,
    ReleaseMember,
    Split,
    SplitAssignment,
    Withdrawal,
)
from curation.models.review import (
    Actor,
    Agreement,
    BulkDecision,
    Claim,
    Correction,
    Decision,
    DecisionReason,
    Question,
    SecondReview,
    Skip,
)
from curation.models.runs import Drop, ExportRun, Figures, IngestRun, Lease, Run, RunState
from curation.models.sources import (
    Category,
    Condition,
    OptOut,
    Origin,
    Repository,
    Role,
    SourceFile,
    SourceText,
)
from curation.models.talk import LineComment, Notice, NoticeChoice, NoticeKind
from curation.models.validation import (
    REJECTED,
    CompiledText,
    Device,
    Outcome,
    RepairTrace,
    TriedCase,
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
