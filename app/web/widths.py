"""How wide the columns of the comparison are, in steps of the table's em.

Fixed widths let a browser lay out only the rows that are in sight, and keep columns where they are from page to page.
`w7` is a class of `app.css`.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.market.column import Column

BY_NAME = {
    "accelerator_label": 16, "accelerator": 14, "accelerator_count": 6, "provider": 10, "provider_name": 10,
    "instance_type": 14, "purchase_option": 8, "term_months": 6, "verdict": 8, "reason": 12, "why": 34, "plan": 16,
    "host_check": 14, "country": 11, "region": 11, "intra_node_link": 12, "source": 14, "price_usd_per_hour": 8,
    "price_usd_per_accelerator_hour": 8, "flags": 14, "id": 11,
}  # fmt: skip
BY_FORMAT = {
    "list": 14,
    "money": 8,
    "integer": 7,
    "number": 7,
    "gib": 7,
    "count": 6,
    "compact": 7,
    "percent": 7,
}
OTHERWISE = {"number": 7, "time": 7, "flag": 7}
WORDS = 9


LETTERS_AN_EM = 1.75
"""Letters that surely fit into an em of a cell's width."""


def letters_of(column: Column) -> float:
    """How long a text may be in a cell of the column without any risk of being cut."""
    return (int(width_of(column)[1:]) - 1.5) * LETTERS_AN_EM


def place_classes(columns: Sequence[Column]) -> tuple[str, ...]:
    """The classes of each column's cells: its width, alignment, and whether it stays in sight (the first two do)."""
    stay = ("k1 ", "k2 ")
    return tuple(
        ("num " if column.kind in ("number", "time") else "")
        + (stay[place] if place < len(stay) else "")
        + width_of(column)
        for place, column in enumerate(columns)
    )


def width_of(column: Column) -> str:
    """The class that sets a column's width."""
    width = BY_NAME.get(column.name) or BY_FORMAT.get(column.format) or OTHERWISE.get(column.kind, WORDS)
    return f"w{width}"
