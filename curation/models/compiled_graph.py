"""Graphs that torch.compile turned into kernels: the Python side of candidate pairs."""

from django.db import models

from curation.models.repository import Repository


class CompiledGraph(models.Model):
    repository = models.ForeignKey(Repository, on_delete=models.PROTECT, related_name="graphs")
    model = models.CharField(max_length=300, help_text="The network that was compiled.")
    trace = models.CharField(max_length=300, help_text="The name of the graph in it.")
    path = models.CharField(max_length=1000)
    text = models.TextField(help_text="As torch wrote it. It is not valid Python.")
    module = models.TextField(
        blank=True, help_text="The repaired text, valid Python where possible."
    )
    missing = models.JSONField(
        default=list, blank=True, help_text="The reasons why it does not run."
    )

    class Meta:
        ordering = ("repository", "model", "trace")
        constraints = (
            models.UniqueConstraint(
                fields=("repository", "model", "trace"), name="compiledgraph_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.model} {self.trace}"
