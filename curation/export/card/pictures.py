"""Charts of the dataset card: bars of counts, as SVG."""

from collections.abc import Mapping
from html import escape

LEFT, WIDE, HIGH, MOST = 190, 360, 22, 14

STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2933}.bar{fill:#3b6ea5}.n{fill:#52606d}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.bar{fill:#7fb0e0}.n{fill:#9aa5b1}}"
)


def bars(title: str, counts: Mapping[str, int]) -> str:
    """Draw bars in descending order. Counts after the first MOST are added up in one more bar."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows = ordered[:MOST]
    if rest := ordered[MOST:]:
        rows.append((f"{len(rest)} others", sum(count for _, count in rest)))
    most = max((count for _, count in rows), default=0) or 1
    width, height = LEFT + WIDE + 90, 40 + HIGH * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<text x="8" y="20" font-weight="600">{escape(title)}</text>',
    ]
    for number, (name, count) in enumerate(rows):
        y = 36 + HIGH * number
        length = max(1, round(WIDE * count / most))
        short = name if len(name) <= 26 else f"{name[:25]}…"
        lines += [
            f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(short)}</text>',
            f'<rect class="bar" x="{LEFT}" y="{y}" width="{length}" height="{HIGH - 6}" rx="2"/>',
            f'<text class="n" x="{LEFT + length + 6}" y="{y + 12}">{count:,}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])
