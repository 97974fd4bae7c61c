"""The fit page: the answer before any price, the form explained, what is wrong beside its field."""

from __future__ import annotations

import html as entities
import json
import re

import pytest
from fastapi.testclient import TestClient

from app.domain.run import TrainingRun
from app.web.run_help import HELP

RUN = "model=llama-3.1-8b"
CONFIG = (
    '{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16,'
    ' "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256}'
)


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", entities.unescape(re.sub(r"<[^>]+>", " ", html)))


def test_every_field_but_the_model_is_explained_beside_it(client: TestClient) -> None:
    html = client.get("/fit").text
    assert set(HELP) == set(TrainingRun.model_fields) - {"model"}
    for name in HELP:
        assert f'id="f-{name}-note"' in html, name
        assert re.search(rf'id="f-{name}"[^>]*aria-describedby="[^"]*f-{name}-note', html), name


def test_before_a_model_is_named_the_page_says_what_one_gets_and_where_to_begin(client: TestClient) -> None:
    html = client.get("/fit").text
    for words in ("Name a model to begin", "QLoRA on one card", "Pretrain 7B on a cluster", "/learn/memory"):
        assert words in html, words
    for link in re.findall(r'href="(/fit\?[^"]+)"', html):
        assert client.get(entities.unescape(link)).status_code == 200, link


def test_the_answer_has_size_class_memory_growth_levers_rules_and_choices(client: TestClient) -> None:
    html = client.get(f"/fit?{RUN}&method=lora&tokens=5e7").text
    text = text_of(html)
    assert "One accelerator is enough" in text
    for part in ("picks", "memory", "levers", "classes", "rules"):
        assert f'id="{part}"' in html, part
    assert re.search(
        r"Red line: [\d.]+ GiB, what the driver reports. Bracket: the error band, [\d.]+ to", text
    )
    assert "Largest micro-batch" in text
    assert "Consumer" in text
    assert "16 bytes per parameter" in text
    assert text.index("One accelerator is enough") < text.index("Who offers that")


def test_a_lever_is_a_button_that_changes_the_run_and_keeps_the_rest(client: TestClient) -> None:
    html = client.get(f"/fit?{RUN}&tokens=5e7&deadline_hours=24").text
    link = re.search(r'<a href="(/fit\?[^"]*method=qlora[^"]*)">', html)
    assert link
    asked = entities.unescape(link[1])
    assert "deadline_hours=24" in asked
    assert "tokens=50000000" in asked


def test_limits_say_how_many_offers_they_rule_out_and_link_to_them(client: TestClient) -> None:
    html = client.get(f"/fit?{RUN}&tokens=5e7&budget_usd=6").text
    told = re.search(r"(\d+) of (\d+) offers that hold it are within your limits", text_of(html))
    assert told
    left, hold = map(int, told.groups())
    assert 0 < left < hold
    link = re.search(r'<a href="(/\?[^"]*reason=budget[^"]*)">(\d+) over budget', html)
    assert link
    assert int(link[2]) == hold - left
    assert client.get(entities.unescape(link[1])).status_code == 200
    none = text_of(client.get(f"/fit?{RUN}&tokens=5e7&budget_usd=0.01").text)
    assert "but none is within your limits" in none


@pytest.mark.parametrize(
    "name", sorted(set(TrainingRun.model_fields) - {"model", "measured_on", "lora_targets"})
)
def test_a_wrong_value_of_any_field_is_told_beside_it_and_stays_in_the_form(
    client: TestClient, name: str
) -> None:
    wrong = "&".join(
        part for part in ("" if name in ("config", "parameters") else RUN, f"{name}=-wrong-") if part
    )
    shown = client.get(f"/fit?{wrong}")
    assert shown.status_code == 422
    told = re.search(rf'<span class="wrong" id="f-{name}-wrong">([^<]+)</span>', shown.text)
    assert told, name
    assert len(told[1].split()) >= 3, told[1]
    field = re.search(rf'<(input|select|textarea) id="f-{name}"[^>]*>', shown.text)
    assert field
    assert 'aria-invalid="true"' in field[0]
    assert f'aria-describedby="f-{name}-wrong' in field[0]
    if field[1] != "select":
        assert "-wrong-" in shown.text


def test_a_model_that_is_not_known_is_told_with_near_ones_that_keep_the_run(client: TestClient) -> None:
    shown = client.get("/fit?model=llama+3.1+9b&method=lora&tokens=5e7")
    assert shown.status_code == 422
    link = re.search(r'Did you mean: <a href="(/fit\?[^"]+)"', shown.text)
    assert link
    assert "method=lora" in link[1]
    assert "tokens=5e7" in link[1]


def test_a_config_is_sent_as_a_file_without_javascript_and_stands_in_the_address(client: TestClient) -> None:
    file = {"config_file": ("config.json", CONFIG)}
    sent = client.post("/fit", data={"model": "gpt2", "method": "lora", "tokens": ""}, files=file)
    assert sent.status_code == 303
    assert "model=" not in sent.headers["location"]
    assert "method=lora" in sent.headers["location"]
    assert "is enough" in client.get(sent.headers["location"]).text


@pytest.mark.parametrize("text", ["", "no json", "[1]", '{"architectures": ["' + "x" * 70_000 + '"]}'])
def test_a_file_that_is_no_config_is_refused_beside_the_field(client: TestClient, text: str) -> None:
    sent = client.post("/fit", data={"method": "lora"}, files={"config_file": ("config.json", text)})
    assert sent.status_code == 422
    assert 'id="f-config-wrong"' in sent.text
    assert re.search(r'<option value="lora" selected>', sent.text)


def test_a_kind_of_model_without_a_speed_estimate_says_so_and_leads_to_offers_by_price(
    client: TestClient,
) -> None:
    asked = "model=sdxl&method=lora&samples=10000"
    for path in ("/fit", "/"):
        html = client.get(f"{path}?{asked}").text
        assert 'id="untimed"' in html, path
        assert "This kind of model has no speed estimate" in html, path
    fit = client.get(f"/fit?{asked}").text
    assert 'id="picks"' in fit and "by price per hour" in text_of(fit)
    assert 'id="untimed"' not in client.get(f"/fit?{RUN}").text
    limited = text_of(
        client.get(f"/?{asked}&budget_usd=40").text.partition('id="hidden"')[2].partition("</div>")[0]
    )
    assert "speed unknown" in limited and "price unknown" not in limited


def test_what_is_assumed_of_a_quantised_config_stands_on_the_page_and_in_the_api(client: TestClient) -> None:
    config = json.loads(CONFIG) | {"quantization_config": {"quant_method": "gptq", "bits": 4}}
    said = "quantised weights in the config (gptq, 4 bit): taken dequantised"
    page = text_of(client.get("/fit", params={"config": json.dumps(config), "method": "full"}).text)
    assert said in page
    assert said not in text_of(client.get("/fit", params={"config": CONFIG, "method": "full"}).text)
    told = client.post("/api/v1/estimates", json={"config": config, "method": "full"}).json()
    assert said in told["model"]["assumed"][0]
