"""Write the scores that `/methods` shows: `python -m app.market.accuracy.publish FOLDER` scores the case files there.

Only figures are kept, none of the rows; a case file that is missing keeps the scores published before.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from app.catalog import Catalog, load_catalog
from app.domain.errors import BadInput
from app.market.accuracy import memory, names, throughput

RESULTS = Path(__file__).with_name("results.json")
SCORES: Mapping[str, tuple[str, Callable[[Path, Catalog], Mapping[str, Any]]]] = {
    "memory": ("memory_measured.csv", memory.score),
    "memory oracle": ("memory_oracle.csv", memory.score),
    "throughput": ("throughput_measured.csv", throughput.score),
    "names": ("gpu_name_cases.csv", names.score),
}
ROWS = ("predictions", "mistakes", "not_scored", "peers")


def publish(folder: Path, today: date, catalog: Catalog, results: Path = RESULTS) -> Mapping[str, Any]:
    """Score every case file of `folder` that exists and write the figures to `results`.

    Raises:
        BadInput: none of the files is there, or one cannot be read.
    """
    scores = {
        name: figures_of(score(folder / file, catalog))
        for name, (file, score) in SCORES.items()
        if (folder / file).is_file()
    }
    if not scores:
        raise BadInput("folder", f"{folder} holds none of the case files")
    return record(scores, today, results)


def record(scores: Mapping[str, Any], today: date, results: Path = RESULTS) -> Mapping[str, Any]:
    """Write figures by name beside those that `results` holds already."""
    before = json.loads(results.read_text(encoding="utf-8"))["scores"] if results.exists() else {}
    published = {"scored_at": today.isoformat(), "scores": {**before, **scores}}
    results.write_text(json.dumps(published, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return published


def figures_of(scored: Mapping[str, Any]) -> dict[str, Any]:
    """The figures without the rows, rounded to four places."""
    return {key: _figures(value) for key, value in scored.items() if key not in ROWS}


def _figures(value: Any) -> Any:
    if isinstance(value, Mapping):
        return figures_of(value)
    return round(value, 4) if isinstance(value, float) else value


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 done, 2 bad input."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        publish(Path(arguments[0]), datetime.now(UTC).date(), load_catalog())
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
