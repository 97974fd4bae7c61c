"""Choices, rent or buy and the trial as pages: the address is the state, errors name the field."""

from __future__ import annotations

import html as markup
import re
from decimal import Decimal
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.market.query import OfferQuery
from app.market.rates import store_rates
from app.market.service import Market
from app.web.templating import CSP
from tests.scraped import MARKET, NOON, scraped, take_in
from tests.training.test_calibration import SMI
from tests.web.site import make_app

RUN = "model=llama-3.1-8b&method=qlora"
TRIAL = "measured_on=h100-sxm5-80gb+x8&measured_tokens_per_s=60000"


def links(html: str, part: str) -> list[str]:
    """Addresses in the element with this id."""
    section = re.search(rf'id="{part}".*?</section>', html, re.DOTALL)
    return [markup.unescape(link) for link in re.findall(r'href="([^"]+)"', section[0])] if section else []


def test_the_choices_are_those_of_the_filtered_table_and_each_is_a_link_to_its_offer(
    client: TestClient, market: Market
) -> None:
    for text in (RUN, f"{RUN}&purchase_option=on_demand", f"{RUN}&provider=vast"):
        found = market.choices(OfferQuery.parse(text))
        assert found is not None
        front = {market.board.records[row].id for row in found.front}
        html = client.get(f"/?{text}").text
        linked = {link.split("/")[-1].split("?")[0] for link in links(html, "choices") if "offers/" in link}
        assert linked == front | {
            market.board.records[row].id for row in (found.cheapest,) if row is not None
        }
        assert '<svg class="plot"' in html


def test_every_price_beside_a_choice_says_how_old_it_is(client: TestClient, market: Market) -> None:
    html = client.get(f"/?{RUN}").text
    picks = re.search(r'<ul class="picks">.*?</ul>', html, re.DOTALL)
    assert picks and picks[0].count("<time ") == picks[0].count("<li>") > 0
    front = re.search(r'id="front".*?<tbody>(.*?)</tbody>', html, re.DOTALL)
    assert front and front[1].count("<time ") == front[1].count("<tr>") > 0
    rented = client.get("/rent-or-buy?accelerator=h100-sxm5-80gb").text
    lines = re.search(r'id="break-even".*?<tbody>(.*?)</tbody>', rented, re.DOTALL)
    assert lines and lines[1].count("<time ") == lines[1].count("<tr>") > 0
    model = client.get("/models/llama-3.1-8b").text
    machines = re.search(r'id="qlora".*?<tbody>(.*?)</tbody>', model, re.DOTALL)
    assert machines and machines[1].count("<time ") == machines[1].count("<tr>") > 0


def test_without_a_run_there_are_no_choices(client: TestClient) -> None:
    assert 'id="choices"' not in client.get("/").text


def test_the_neighbours_of_an_offer_are_links_with_their_figures(client: TestClient, market: Market) -> None:
    query = OfferQuery.parse(RUN)
    found = market.choices(query)
    assert found is not None
    assert len(found.front) > 1
    first = market.board.records[found.front[0]].id
    page = client.get(f"/offers/{first}?{RUN}").text
    assert "One dearer, faster" in page
    second = market.board.records[found.front[1]].id
    assert any(second in link for link in links(page, "neighbours"))


def test_the_breakdown_shows_interruptions_at_three_rates(client: TestClient, market: Market) -> None:
    spot = next(
        r.id for r in market.board.records if r.purchase_option == "spot" and r.instance_type == "1x_rtx_4090"
    )
    page = client.get(f"/offers/{spot}?{RUN}&deadline_hours=500&checkpoint_minutes=45").text
    for words in (
        "Interruptions and checkpoints",
        ">low<",
        ">expected<",
        ">high<",
        "Young",
        "45 min",
        "your own",
    ):
        assert words in page, words


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/rent-or-buy?accelerator=warp", "accelerator"),
        ("/rent-or-buy?accelerator=h100-sxm5-80gb&purchase_usd=-1", "purchase_usd"),
        ("/rent-or-buy?accelerator=h100-sxm5-80gb&utilisation=0", "utilisation"),
        ("/rent-or-buy?bogus=1", "bogus"),
        ("/trial?busy_percent=400", "busy_percent"),
        (f"/trial?{RUN}&measured_tokens_per_s=100", "measured_on"),
        (f"/trial?{RUN}&{TRIAL}0000", "measured_tokens_per_s"),
        ("/trial?model=llama+99", "model"),
        (f"/?{RUN}&tokens=0", "tokens"),
        (f"/?{RUN}&deadline_hours=-3", "deadline_hours"),
        ("/?currency=XXX", "currency"),
        ("/?price_min=-1", "price_min"),
    ],
)
def test_what_cannot_be_is_refused_by_naming_the_field(client: TestClient, path: str, field: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 422
    assert f"<code>{field}</code>" in answer.text
    assert 'id="question"' in answer.text, "the form stays, to correct it"


def test_rent_or_buy_answers_with_break_even_figures_and_dated_defaults(client: TestClient) -> None:
    page = client.get("/rent-or-buy?accelerator=h100-sxm5-80gb&pue=1.1")
    assert page.status_code == 200
    assert page.headers["content-security-policy"] == CSP
    for words in ("pays back after", "2026-10", "from memory", "yours", "Lambda"):
        assert words in page.text, words
    assert client.get("/rent-or-buy?accelerator=h100-sxm5-80gb&pue=&years=").headers["location"] == (
        "/rent-or-buy?accelerator=h100-sxm5-80gb"
    )


def test_a_paste_becomes_an_address_that_anybody_can_open(client: TestClient) -> None:
    form = {"model": "Llama 3.1 8B", "measured_on": "h100-sxm5-80gb x8", "measured_tokens_per_s": "60000"}
    sent = client.post("/trial", data=form | {"nvidia_smi": SMI, "lora_rank": ""})
    assert sent.status_code == 303
    address = sent.headers["location"]
    assert "busy_percent=98.0" in address
    assert "lora_rank" not in address
    page = client.get(address).text
    assert "compute-bound" in page
    table = next(link for link in links(page, "correction") if link.startswith("/?"))
    assert "measured_tokens_per_s=60000" in table
    assert "Corrected by your trial on h100-sxm5-80gb x8" in client.get(table).text


def test_a_paste_that_cannot_be_read_keeps_the_form(client: TestClient) -> None:
    sent = client.post("/trial", data={"nvidia_smi": "who knows", "busy_percent": "3"})
    assert sent.status_code == 422
    assert "<code>nvidia_smi</code>" in sent.text
    assert "who knows</textarea>" in sent.text


def test_the_correction_is_told_on_table_and_offer_page(client: TestClient, market: Market) -> None:
    big = next(r.id for r in market.board.records if r.instance_type == "gpu_8x_h100_sxm5")
    run = f"model=llama-3.1-8b&{TRIAL}"
    for path in (f"/?{run}", f"/fit?{run}", f"/offers/{big}?{run}"):
        assert "Corrected by your trial on h100-sxm5-80gb x8" in client.get(path).text
    assert "Corrected by your trial" not in client.get("/?model=llama-3.1-8b").text


def test_the_link_verdict_has_one_definition(client: TestClient) -> None:
    page = client.get("/methods").text
    section = re.search(r'id="link-verdict".*?</section>', page, re.DOTALL)
    assert section
    for words in ("tensor_parallel", "sold as a cluster", "prove_fabric", "link_share_limit, 50 %"):
        assert words in section[0], words


def test_a_price_in_another_currency_shows_the_rate_and_its_day(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'euro.sqlite3'}")
    upgrade(engine)
    take_in(engine, scraped("10.00", region="r1", currency="JPY"))
    store_rates(engine, NOON.date(), {"EUR": Decimal("1.10")}, "ECB")
    take_in(engine, scraped("20.00", region="r2", currency="EUR"), card=MARKET)
    market = Market.open(load_catalog(), engine, lambda: NOON)
    by_currency = {record.currency: record.id for record in market.board.records}
    client = TestClient(make_app(market))
    euro = client.get(f"/offers/{by_currency['EUR']}").text
    assert "Quoted as 20.000 EUR/h" in euro
    assert "rate of 2026-11-30" in euro
    assert "1 EUR = 1.1000 USD" in euro
    assert "no exchange rate is known yet" in client.get(f"/offers/{by_currency['JPY']}").text
    engine.dispose()
