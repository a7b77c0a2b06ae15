"""Validations: a run checks a batch of items; each item gets a result; each result has checks."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.constraints import one_of, sha256
from curation.models.run import Run, RunQuerySet
from curation.models.subject import AboutKernelOrPair


class Device(models.TextChoices):
    """Where the Triton code ran. The interpreter can be right where the GPU is wrong."""

    CUDA = "cuda", "CUDA"
    INTERPRETER = "interpreter", "Interpreter"
    COMPILER = "compiler", "Compiler only"


class Verdict(models.TextChoices):
    PASSED = "passed"
    FAILED = "failed"
    NOT_TRITON = "not_triton", "Not Triton"
    VACUOUS = "vacuous"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    UNSUPPORTED = "unsupported"


# A machine that stops every worker would otherwise be taken for a batch of bad items.
MOST_SKIPPED = 5


class ValidationRun(Run):
    KIND = "validation"
    QUEUE = "validation"
    JOB = "validation.jobs.validate"
    RETRY = "validation.requests.retry_validation"

    device = models.CharField(max_length=20, choices=Device.choices)
    batch = models.JSONField(default=list, help_text="What it checks: [kind, id, content hash].")
    options = models.JSONField(default=dict, blank=True)
    environment = models.JSONField(
        default=dict, blank=True, help_text="GPU, driver, versions, sandbox level, settings."
    )
    begun = models.JSONField(
        default=dict,
        editable=False,
        help_text="By the key of an item: the number of attempts that began it and ended first.",
    )

    objects = RunQuerySet["ValidationRun"].as_manager()

    class Meta(Run.Meta):
        ordering = ("-pk",)
        constraints = (
            *Run.Meta.constraints,
            one_of("device", Device, "validationrun_device_valid"),
        )

    def __str__(self) -> str:
        return f"Validation {self.pk}"

    @property
    def kind(self) -> str:
        return "compile" if self.device == Device.COMPILER else self.KIND

    @property
    def skipped(self) -> list[int]:
        """The keys of items at which so many attempts ended that they are not tried again.

        An item is begun with others once, and then alone: two ends say more than one.
        """
        most = max(2, settings.MOST_ATTEMPTS)
        return [int(key) for key, ends in self.begun.items() if ends >= most][:MOST_SKIPPED]

    @property
    def most_attempts(self) -> int:
        """Each item that is skipped had its attempts, and the rest has as many again."""
        return settings.MOST_ATTEMPTS * (1 + len(self.skipped))

    @property
    def subject(self) -> str:
        plural = "" if self.total == 1 else "s"
        if self.device == Device.COMPILER:
            return f"{self.total:,} kernel{plural}"
        return f"{self.total:,} pair{plural}, {self.get_device_display()}"


class ValidationResult(AboutKernelOrPair):
    """What a run found about one item, bound to the content it saw."""

    run = models.ForeignKey(ValidationRun, on_delete=models.PROTECT, related_name="results")
    content_hash = models.CharField(max_length=64)
    verdict = models.CharField(max_length=20, choices=Verdict.choices)
    message = models.TextField(blank=True)
    figures = models.JSONField(default=dict, blank=True)
    seconds = models.FloatField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(AboutKernelOrPair.Meta):
        ordering = ("-pk",)
        constraints = (
            *AboutKernelOrPair.Meta.constraints,
            one_of("verdict", Verdict, "validationresult_verdict_valid"),
            sha256("content_hash", "validationresult_content_hash_valid"),
            models.UniqueConstraint(
                fields=("run", "kernel"),
                condition=Q(pair=None),
                name="validationresult_one_per_kernel",
            ),
            models.UniqueConstraint(
                fields=("run", "pair"),
                condition=Q(kernel=None),
                name="validationresult_one_per_pair",
            ),
        )
        # All but the commonest verdict are rare, and looked for.
        indexes = (models.Index(fields=("verdict", "kernel", "pair"), name="result_by_verdict"),)


class Outcome(models.TextChoices):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class ValidationCheck(models.Model):
    """One of the checks behind a verdict, in words and numbers."""

    result = models.ForeignKey(ValidationResult, on_delete=models.CASCADE, related_name="checks")
    name = models.CharField(max_length=60)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    message = models.TextField(blank=True)
    figures = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            one_of("outcome", Outcome, "validationcheck_outcome_valid"),
            models.UniqueConstraint(fields=("result", "name"), name="validationcheck_once"),
        )

    def __str__(self) -> str:
        return f"{self.name}: {self.outcome}"
