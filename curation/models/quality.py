"""Findings of the quality gates, one row a kernel and gate."""

from django.db import models

from curation.models.constraints import one_of
from curation.models.kernel import Kernel
from curation.models.vocabulary import Action


class QualityFinding(models.Model):
    kernel = models.ForeignKey(Kernel, on_delete=models.CASCADE, related_name="findings")
    gate = models.CharField(max_length=60)
    passed = models.BooleanField()
    action = models.CharField(max_length=10, choices=Action.choices)
    value = models.FloatField(null=True)
    message = models.TextField(blank=True)
    rules = models.CharField(max_length=40, help_text="Version of the rules that found it.")

    class Meta:
        ordering = ("gate",)
        constraints = (
            one_of("action", Action, "qualityfinding_action_valid"),
            models.UniqueConstraint(fields=("kernel", "gate"), name="qualityfinding_one_per_gate"),
        )

    def __str__(self) -> str:
        return f"{self.gate}: {'passed' if self.passed else self.action}"
