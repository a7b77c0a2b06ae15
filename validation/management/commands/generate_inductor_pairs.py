"""`manage.py generate_inductor_pairs`: pairs whose Triton text Inductor generates."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.management.arguments import (
    add_stated_source,
    at_least_one,
    output_file,
    stated_source,
)
from curation.models import Pair, PairOrigin, Repository, Status
from curation.pairs.draft import PairDraft, Source
from curation.pairs.store import store_pairs
from curation.progress_bar import Bar
from curation.text import pluralize
from validation.harness.pool.fork_server import ForkServerFailed
from validation.harness.sandbox import SandboxUnavailable
from validation.pairs.inductor.generation import (
    Offer,
    generate,
    in_turns,
    inductor,
    of_modules,
    types_named,
)
from validation.pairs.inductor.modules import MODULES
from validation.pairs.inductor.whole import model_sources
from validation.pairs.inductor.whole.model_sources import Whole
from validation.pairs.inductor.whole.splitting import SECONDS, split


class Command(BaseCommand):
    help = (
        "Have torch.compile's Inductor write Triton for layers and blocks of models, for the "
        "parts of whole models, or for the Python sides of pairs, and make it plain: no import of "
        "torch._inductor, a launcher of its own. Needs no GPU, and runs foreign code in the "
        "sandbox. The pairs wait for validation. Pairs that are stored already do not change."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py generate_inductor_pairs --module bias_gelu --limit 5"
        parser.add_argument(
            "--module",
            action="append",
            choices=[module.entry_point for module in MODULES],
            metavar="MODULE",
            help="only this layer or block; may be given more than once (default: all)",
        )
        parser.add_argument(
            "--from-pairs", action="store_true", help="take the Python sides of stored pairs"
        )
        parser.add_argument(
            "--modules",
            type=Path,
            nargs="+",
            metavar="FILE.py",
            help="modules of your own: MODULES is a dictionary from names to functions, each of "
            "which returns a module and a tuple of its inputs (default: none)",
        )
        parser.add_argument(
            "--transformers",
            nargs="+",
            metavar="CONFIG",
            help="whole models with random weights: a class of configurations (BertConfig), or a "
            "config.json (default: none)",
        )
        parser.add_argument(
            "--timm",
            nargs="+",
            metavar="MODEL",
            help="whole models with random weights, by name (default: none)",
        )
        parser.add_argument(
            "--debug-folder",
            type=Path,
            nargs="+",
            metavar="FOLDER",
            help="the graphs that torch.compile left as fx_graph_runnable.py (default: none)",
        )
        add_stated_source(parser)
        parser.add_argument(
            "--limit", type=at_least_one, metavar="N",
            help="ask for N functions at most (default: all)",
        )  # fmt: skip
        parser.add_argument("--list", action="store_true", help="list the modules and stop")
        parser.add_argument(
            "--write", type=output_file, metavar="FILE",
            help="also write the pairs to this file, as JSON Lines (default: no file)",
        )  # fmt: skip
        parser.add_argument(
            "--dry-run", action="store_true", help="generate pairs without storing them"
        )

    def handle(self, **options: Any) -> None:
        if options["list"]:
            for module in MODULES:
                types = ", ".join(module.dtypes)
                self.stdout.write(f"{module.entry_point:<24} {types:<28} {module.summary}")
            return
        wholes = _wholes(options)
        if sum(map(bool, (options["module"], options["from_pairs"], wholes))) > 1:
            raise CommandError(
                "--module, --from-pairs and whole models (--modules, --transformers, --timm, "
                "--debug-folder) exclude each other."
            )
        try:
            offered = self._of_wholes(wholes) if wholes else _offers(options)
            offers = in_turns(offered)[: options["limit"]]
            answers = self._generated(offers)
        except (SandboxUnavailable, ForkServerFailed) as error:
            raise CommandError(str(error)) from error
        reasons = Counter(answer for answer in answers if isinstance(answer, str))
        drafts = [answer for answer in answers if isinstance(answer, PairDraft)]
        drafts.sort(key=lambda draft: draft.record_id)
        if options["write"]:
            lines = (json.dumps(draft.as_record()) + "\n" for draft in drafts)
            options["write"].write_text("".join(lines), encoding="utf-8")
        self.stdout.write(
            f"{pluralize(len(drafts), 'pair')} of {pluralize(len(offers), 'function')}."
        )
        self._say_left_out(reasons)
        if options["dry_run"]:
            self.stdout.write("Nothing stored.")
            return
        stored = store_pairs(drafts)
        self.stdout.write(
            f"{pluralize(stored.added, 'pair')} stored, {stored.known:,} known before. "
            "`manage.py validate --pending` checks them."
        )

    def _of_wholes(self, wholes: list[Whole]) -> list[Offer]:
        with self._bar("splitting", len(wholes)), inductor(seconds=SECONDS) as workers:
            splits = list(split(wholes, workers))
        for result in splits:
            if result.trouble:
                self.stdout.write(f"{result.name}: nothing, because {result.trouble}.")
                continue
            functions = pluralize(len(result.offers), "new function")
            self.stdout.write(f"{result.name}: {pluralize(result.groups, 'group')}, {functions}.")
            self._say_left_out(result.reasons)
        return [offer for result in splits for offer in result.offers]

    def _say_left_out(self, reasons: Counter[str]) -> None:
        # Sort ties by reason, because the workers' order of completion varies.
        for reason, count in sorted(reasons.items(), key=lambda one: (-one[1], one[0])):
            self.stdout.write(f"{count:>6,}  left out: {reason}")

    def _generated(self, offers: list[Offer]) -> list[PairDraft | str]:
        answers = []
        with self._bar("compiling", len(offers)) as bar, inductor() as workers:
            for _, answer in generate(offers, workers):
                answers.append(answer)
                bar.show("compiling", len(answers), len(offers))
        return answers

    @contextmanager
    def _bar(self, stage: str, total: int) -> Iterator[Bar]:
        """Show the bar at once, because the first answer may take a minute on a busy machine."""
        bar = Bar(sys.stderr)
        try:
            bar.show(stage, 0, total)
            yield bar
        finally:
            bar.end()


def _wholes(options: dict[str, Any]) -> list[Whole]:
    stated = stated_source(options)
    if stated.as_metadata() and not (options["modules"] or options["debug_folder"]):
        raise CommandError("A source is stated only for --modules and --debug-folder.")
    named = [
        *(model_sources.of_file(path, stated) for path in options["modules"] or ()),
        *map(model_sources.of_transformers, options["transformers"] or ()),
        *map(model_sources.of_timm, options["timm"] or ()),
        *(
            whole
            for folder in options["debug_folder"] or ()
            for whole in model_sources.of_debug_folder(folder, _source_of(folder, stated))
        ),
    ]
    # Drop names that were given twice.
    return list(dict.fromkeys(named))


def _source_of(folder: Path, stated: Source) -> Source:
    """Return the stated source, or that which was stated when the folder was ingested."""
    if stated.as_metadata() or not folder.is_dir():
        return stated
    known = Repository.objects.filter(url=str(folder.resolve())).first()
    return Source(**known.stated) if known else stated


def _offers(options: dict[str, Any]) -> Iterator[Offer]:
    if not options["from_pairs"]:
        chosen = options["module"]
        yield from of_modules(m for m in MODULES if not chosen or m.entry_point in chosen)
        return
    pairs = Pair.objects.filter(status__in=(Status.PENDING, Status.APPROVED), next_versions=None)
    for pair in pairs.exclude(origin=PairOrigin.INDUCTOR).order_by("pk").iterator(500):
        for dtype in types_named(pair.test_code):
            draft = PairDraft(
                entry_point=pair.entry_point,
                python_code=pair.python_code,
                triton_code="",
                test_code=pair.test_code,
                origin="inductor",
                operation_type=pair.operation_type,
                difficulty="",
                source=Source(**pair.metadata.get("provenance", {})),
                slug="-".join(filter(None, ("inductor", pair.slug, dtype))),
                tags=("inductor",),
                split_group=pair.split_group,
            )
            yield Offer(draft, dtype)
