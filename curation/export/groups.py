"""Groups of items that must share a split, so that no model is trained on variants of test items.

Near-duplicate links and versions connect items. A pair is connected with its kernel, with its split
group, and with pairs of the same operations in the Python code. An option connects all items of one
repository or file. Items that are not exported connect others too. Exported pairs are also
connected if their Python code has nearly the same structure.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import TypeAlias

from curation.export.options import ExportOptions
from curation.models import DuplicateLink, Fingerprint, Kernel, Pair, Provenance
from curation.similarity.structure import from_bytes

Node: TypeAlias = tuple[str, Hashable]
"""An item (its kind and primary key), or a value that several items share (its name and itself)."""

# The threshold 4/5 as two whole numbers, so that comparisons are exact.
SHARED, OF = 4, 5


class Groups:
    """Disjoint sets of nodes."""

    def __init__(self) -> None:
        self._parent: dict[Node, Node] = {}

    def find(self, node: Node) -> Node:
        """Return the root node of a node's group."""
        parent = self._parent
        while (above := parent.get(node, node)) != node:
            parent[node] = parent.get(above, above)
            node = above
        return node

    def join(self, left: Node, right: Node) -> None:
        left, right = self.find(left), self.find(right)
        if left != right:
            self._parent[right] = left


def connect_rows(groups: Groups, options: ExportOptions) -> None:
    """Connect all kernels and pairs of the database by everything except structure."""
    for left, right in _links(options):
        groups.join(left, right)


def _links(options: ExportOptions) -> Iterator[tuple[Node, Node]]:
    for kind, items in (("kernel", Kernel.objects.order_by()), ("pair", Pair.objects.order_by())):
        links = DuplicateLink.objects.order_by().exclude(**{kind: None})
        for pk, other in links.values_list(f"{kind}_id", f"of_{kind}_id").iterator():
            yield (kind, pk), (kind, other)
        versions = items.exclude(previous=None).values_list("pk", "previous_id")
        for pk, previous in versions.iterator():
            yield (kind, pk), (kind, previous)
    pairs = Pair.objects.order_by()
    for pk, kernel in pairs.exclude(kernel=None).values_list("pk", "kernel_id").iterator():
        yield ("pair", pk), ("kernel", kernel)
    for pk, name in pairs.exclude(split_group="").values_list("pk", "split_group").iterator():
        yield ("pair", pk), ("split group", name)
    chains = Fingerprint.objects.order_by().exclude(pair=None).exclude(chain_hash="")
    for pk, chain in chains.values_list("pair_id", "chain_hash").iterator():
        yield ("pair", pk), ("chain", chain)
    places = Provenance.objects.order_by()
    for wanted, column in (
        (options.together, "source_file__repository_id"),
        (options.unit == "file", "source_file_id"),
    ):
        rows = places.values_list("kernel_id", column).iterator() if wanted else ()
        for pk, value in rows:
            yield ("kernel", pk), (column, value)


def connect_structures(groups: Groups, pairs: Collection[int]) -> None:
    """Connect the exported pairs whose Python code has nearly the same structure."""
    rows = Fingerprint.objects.filter(pair__among=frozenset(pairs), structure__isnull=False)
    structures = rows.order_by("pair_id").values_list("pair_id", "structure")
    connect_near(groups, {("pair", pk): bytes(data) for pk, data in structures if data})


def connect_near(groups: Groups, structures: Mapping[Node, bytes]) -> None:
    """Connect nodes whose structures have a Jaccard similarity of at least 4/5.

    A structure is a set of hashes of token 5-grams, without names and numbers. Nodes with an empty
    structure are not connected.
    """
    grams = {node: from_bytes(structure).tolist() for node, structure in structures.items()}
    frequency = Counter(gram for of_node in grams.values() for gram in of_node)
    by_gram: dict[int, list[Node]] = defaultdict(list)
    for node, of_node in grams.items():
        # Prefix filter. Two sets with this similarity share at least 4/5 of the grams of each. If
        # both are sorted by the same key, their prefixes (a fifth of the set plus one gram) share a
        # gram. So only prefixes are indexed. Rare grams come first, because fewer sets share them.
        of_node.sort(key=lambda gram: (frequency[gram], gram))
        first = of_node[: len(of_node) // OF + 1]
        wanted = set(of_node)
        for candidate in {other for gram in first for other in by_gram[gram]}:
            if groups.find(candidate) != groups.find(node):
                common = len(wanted.intersection(grams[candidate]))
                if OF * common >= SHARED * (len(of_node) + len(grams[candidate]) - common):
                    groups.join(candidate, node)
        for gram in first:
            by_gram[gram].append(node)
