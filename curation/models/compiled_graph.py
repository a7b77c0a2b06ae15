"""A graph that torch.compile turned into kernels: the python side of candidate pairs."""

from django.db import models

from curation.models.repository import Repository


class CompiledGraph(models.Model):
    repository = models.ForeignKey(Repository, on_delete=models.PROTECT, related_name="graphs")
    model = models.CharField(max_length=300, help_text="The network that was compiled.")
    trace = models.CharField(max_length=300, help_text="Which of its graphs.")
    path = models.CharField(max_length=1000)
    text = models.TextField(help_text="As torch wrote it; it doesn't parse.")
    module = models.TextField(blank=True, help_text="Repaired: valid Python, where it could be.")
    missing = models.JSONField(default=list, blank=True, help_text="What keeps it from running.")

    class Meta:
        ordering = ("repository", "model", "trace")
        constraints = (
            models.UniqueConstraint(
                fields=("repository", "model", "trace"), name="compiledgraph_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.model} {self.trace}"
