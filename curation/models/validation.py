"""Validation runs, and the result of each pair and of each of its checks."""

import zlib

from django.conf import settings
from django.db import models
from django.db.models import Q

from curation.models.fields import AppendOnly, once_per_item, one_of, sha256
from curation.models.items import AboutKernelOrPair, Pair
from curation.models.runs import Run, RunQuerySet


class Device(models.TextChoices):
    """Device that ran the Triton code. The interpreter can pass code that fails on a GPU."""

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


# Verdicts that may mean a wrong kernel. Other verdicts say more about the machine or the test.
REJECTED = (Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED)

# Maximum number of skipped items. If workers die on more items, the machine is the cause.
MOST_SKIPPED = 5


class ValidationRun(Run):
    """A run that validates a batch of items on one device."""

    KIND = "validation"
    QUEUE = "validation"
    JOB = "validation.jobs.validate"
    RETRY = "validation.run_requests.retry_validation"

    device = models.CharField(max_length=20, choices=Device.choices)
    batch = models.JSONField(default=list, help_text="The items: [kind, id, content hash].")
    options = models.JSONField(default=dict, blank=True)
    environment = models.JSONField(
        default=dict, blank=True, help_text="GPU, driver, versions, sandbox level, settings."
    )
    begun = models.JSONField(
        default=dict,
        editable=False,
        help_text="Item key → number of attempts that began it and did not finish it.",
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
        """Return the keys of items to skip, because too many attempts were killed while they ran.

        An item is tried once in a batch and then alone. One killed attempt is too few.
        """
        most = max(2, settings.MOST_ATTEMPTS)
        return [int(key) for key, ends in self.begun.items() if ends >= most][:MOST_SKIPPED]

    @property
    def most_attempts(self) -> int:
        """Return the maximum number of attempts: `MOST_ATTEMPTS`, and as many per skipped item."""
        return settings.MOST_ATTEMPTS * (1 + len(self.skipped))

    @property
    def subject(self) -> str:
        plural = "" if self.total == 1 else "s"
        if self.device == Device.COMPILER:
            return f"{self.total:,} kernel{plural}"
        return f"{self.total:,} pair{plural}, {self.get_device_display()}"


class ValidationResult(AboutKernelOrPair):
    """A run's result for one item. It is valid only for the content that was validated."""

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
            *once_per_item("validationresult_one_per_item", "run", "item"),
        )
        # For filters, because every verdict except the most common one is rare.
        indexes = (models.Index(fields=("verdict", "kernel", "pair"), name="result_by_verdict"),)


class TriedCase(Run):
    """A run of one test case of a pair with a reviewer's values. It does not count as evidence."""

    KIND = "try"
    QUEUE = "validation"
    JOB = "validation.jobs.try_case"
    RETRY = "validation.run_requests.retry_case"

    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="tried")
    content_hash = models.CharField(max_length=64)
    device = models.CharField(max_length=20, choices=Device.choices)
    place = models.PositiveSmallIntegerField(help_text="The place of the case in CASES, from 0.")
    instead = models.JSONField(default=dict, blank=True, help_text="Other values by key.")
    change = models.CharField(max_length=20, blank=True, help_text="The change of all inputs.")
    program = models.CharField(
        max_length=40, blank=True, help_text="The program of the grid whose values are wanted."
    )
    report = models.JSONField(default=dict, blank=True, help_text="Both answers, and the times.")

    objects = RunQuerySet["TriedCase"].as_manager()

    class Meta(Run.Meta):
        ordering = ("-pk",)
        constraints = (
            *Run.Meta.constraints,
            one_of("device", Device, "triedcase_device_valid"),
            sha256("content_hash", "triedcase_content_hash_valid"),
        )
        indexes = (
            *Run.Meta.indexes,
            models.Index(fields=("pair", "content_hash", "id"), name="triedcase_of_pair"),
        )

    def __str__(self) -> str:
        return f"Try {self.pk} of {self.pair}"

    @property
    def subject(self) -> str:
        return f"{self.pair}, case {self.place}"


class Outcome(models.TextChoices):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class ValidationCheck(models.Model):
    """One of the checks on which a verdict is based."""

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


class CompiledText(models.Model):
    """One output of a kernel's newest compilation: PTX, or Triton's GPU dialect."""

    result = models.ForeignKey(ValidationResult, on_delete=models.CASCADE, related_name="texts")
    name = models.CharField(max_length=10, help_text="ptx or ttgir")
    compressed = models.BinaryField(help_text="UTF-8, by zlib")

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("result", "name"), name="compiledtext_once"),
        )

    @property
    def text(self) -> str:
        return zlib.decompress(bytes(self.compressed)).decode()


class RepairTrace(AppendOnly):
    """A repair example: a mistake planted into a passed pair. The harness rejects the result.

    The Triton code of the pair is the fixed version.
    """

    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="repair_traces")
    content_hash = models.CharField(max_length=64, help_text="Of the pair.")
    kind = models.CharField(max_length=40, help_text="The kind of mistake.")
    faulty_code = models.TextField()
    faulty_hash = models.CharField(
        max_length=64, unique=True, help_text="sha256 of the faulty code."
    )
    line = models.PositiveIntegerField(help_text="The first faulty line, from 1.")
    device = models.CharField(max_length=20, choices=Device.choices)
    verdict = models.CharField(max_length=20, choices=Verdict.choices)
    message = models.TextField(help_text="The failed checks, in the harness's words.")
    why = models.TextField(help_text="The reason why the line is wrong.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            one_of("device", Device, "repairtrace_device_valid"),
            models.CheckConstraint(
                condition=Q(verdict__in=REJECTED), name="repairtrace_verdict_rejects"
            ),
            sha256("content_hash", "repairtrace_content_hash_valid"),
            sha256("faulty_hash", "repairtrace_faulty_hash_valid"),
            models.CheckConstraint(condition=Q(line__gte=1), name="repairtrace_line_counts"),
            models.CheckConstraint(condition=~Q(message=""), name="repairtrace_has_message"),
        )
        indexes = (models.Index(fields=("kind", "pair"), name="repairtrace_by_kind"),)
