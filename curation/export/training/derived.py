"""Files that are made from exported records and other rows. A release keeps their files."""

from pathlib import Path

from curation.export.folder import LineFile
from curation.export.options import ExportOptions
from curation.export.statistics import ExportPlan
from curation.export.training.ladders import write_ladders
from curation.export.training.repairs import write_repairs
from curation.export.training.reviews import write_reviews
from curation.tokens import tokenizer_of


def write_derived(folder: Path, plan: ExportPlan, options: ExportOptions) -> list[LineFile]:
    """Write the requested files, and note them in the plan for card and manifest."""
    pairs, tokenizer = plan.rows["pair"], tokenizer_of(options.tokenizer)
    files: list[LineFile] = []
    if options.repairs:
        plan.repairs = write_repairs(folder, pairs, plan.profiles, tokenizer)
        files += plan.repairs.files
    if options.ladders:
        plan.ladders = write_ladders(folder, pairs, plan.profiles, tokenizer)
        files += plan.ladders.files
    if options.reviews:
        files += write_reviews(folder, plan, options)
    return files
