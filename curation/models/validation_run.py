"""Validations: a run checks a batch of items; each item gets a result; each result has checks."""

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
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    CHEATING = "cheating"
    VACUOUS = "vacuous"
    UNSUPPORTED = "unsupported"


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
