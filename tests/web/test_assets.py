"""What the browser loads: small, cached by content, ours alone, and mirrored for right-to-left."""

from __future__ import annotations

import gzip
import re

from fastapi.testclient import TestClient

from app.web.assets import assets
from app.web.templating import TEMPLATES

SCRIPTS_MOST_BYTES = 60_000


def test_all_scripts_together_stay_within_the_budget() -> None:
    scripts = [asset for name, asset in assets().items() if name.endswith(".js")]
    assert len(scripts) >= 4
    assert sum(len(gzip.compress(script.body)) for script in scripts) < SCRIPTS_MOST_BYTES / 2


def test_a_file_is_kept_for_a_year_under_its_digest_only(client: TestClient) -> None:
    page = client.get("/").text
    links = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert len(links) >= 6
    for link in links:
        assert "immutable" in client.get(link).headers["cache-control"], link
        assert client.get(link.partition("?")[0]).headers["cache-control"] == "no-cache"
        assert client.get(link.partition("=")[0] + "=stale").headers["cache-control"] == "no-cache"
    assert client.get("/static/nothing.css").status_code == 404
    assert client.get("/static/..%2Fpyproject.toml").status_code == 404


def test_a_known_file_is_not_sent_again(client: TestClient) -> None:
    tag = client.get("/static/app.css").headers["etag"]
    assert client.get("/static/app.css", headers={"if-none-match": tag}).status_code == 304


def test_the_style_sheet_knows_no_left_and_right() -> None:
    sheet = assets()["app.css"].body.decode()
    physical = re.findall(
        r"(?:margin|padding|border|inset)?-?\b(?:left|right)\s*:|text-align:\s*(?:left|right)|[^-]\b(?:width|height)\s*:[^;]*;",
        re.sub(r"""@media[^{]+|\[dir="rtl"\][^}]*}""", "", sheet),
    )
    assert physical == []


def test_nothing_is_loaded_from_elsewhere() -> None:
    for name in ("app.css", "app.js"):
        assert "//" not in re.sub(
            r"^\s*//.*$|/\*.*?\*/", "", assets()[name].body.decode(), flags=re.M | re.S
        ), name
    for template in TEMPLATES.glob("*.html"):
        assert not re.search(r'(?:src|href)="https?:', template.read_text()), template.name


def test_templates_are_small_and_htmx_sits_only_on_forms_and_links() -> None:
    for template in TEMPLATES.glob("*.html"):
        text = template.read_text()
        assert len(text.splitlines()) <= 120, template.name
        for tag, attributes in re.findall(r"<(\w+)\b([^>]*\bhx-(?:get|post)=[^>]*)>", text):
            assert (tag == "form" and "action=" in attributes) or (tag == "a" and "href=" in attributes), (
                template.name
            )
