"""The command line end to end: answers, exit codes, and one clear line for every error."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli import run
from tests.providers.internet import served

Said = tuple[int, str, str]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('cli') / 'deep' / 'rackrate.sqlite3'}"


@pytest.fixture
def rackrate(
    database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    monkeypatch.setenv("RACKRATE_DATABASE_URL", database)

    def call(*arguments: object) -> Said:
        code = run([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def run_file(folder: Path, **fields: Any) -> Path:
    path = folder / "run.json"
    path.write_text(json.dumps(fields))
    return path


def test_offers_on_a_fresh_machine_come_from_the_bundled_snapshot(rackrate: Callable[..., Said]) -> None:
    code, out, _ = rackrate("offers", "accelerator=h100-sxm5-80gb&accelerator_count=8&per_page=3", "--json")
    body = json.loads(out)
    assert code == 0
    assert len(body["items"]) == 3
    assert body["total"] > 3
    assert body["next"]
    assert all(item["accelerator"] == "h100-sxm5-80gb" for item in body["items"])


def test_offers_as_csv_are_the_same_rows(rackrate: Callable[..., Said]) -> None:
    query = "provider=gcp&sort=region&per_page=7"
    rows = [*csv.DictReader(io.StringIO(rackrate("offers", query, "--csv")[1]))]
    items = json.loads(rackrate("offers", query, "--json")[1])["items"]
    assert [row["id"] for row in rows] == [item["id"] for item in items]


def test_offers_for_people_name_the_question(rackrate: Callable[..., Said]) -> None:
    code, out, err = rackrate("offers", "model=llama-3.1-8b&per_page=2")
    assert code == 0
    assert "full fine-tune of" in out
    assert "memory" in err


def test_no_offers_is_the_answer_no(rackrate: Callable[..., Said]) -> None:
    assert rackrate("offers", "price_max=0", "--json")[0] == 1
    assert rackrate("offers", "price_max=0", "--csv")[0] == 1


def test_a_run_that_fits_says_on_what_and_for_how_much(rackrate: Callable[..., Said], tmp_path: Path) -> None:
    path = run_file(tmp_path, model="llama-3.1-8b", method="qlora")
    code, out, _ = rackrate("fit", path, "--json")
    body = json.loads(out)
    assert code == 0
    assert body["enough"] == "single"
    assert body["verdict"] == "fits"
    assert body["cost"]["total_usd"] == body["hardware"][0]["cost"]["total_usd"] > 0
    code, out, _ = rackrate("fit", path)
    assert code == 0
    assert "micro-batch" in out


def test_a_run_that_nothing_holds_is_the_answer_no(rackrate: Callable[..., Said], tmp_path: Path) -> None:
    path = run_file(tmp_path, model="llama-3.1-405b", method="pretrain", max_nodes=1)
    code, out, _ = rackrate("fit", path, "--json")
    assert code == 1
    body = json.loads(out)
    assert (body["holds"], body["verdict"], body["plan"]) == (False, "does_not_fit", None)
    assert body["levers"]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["nonsense"], "nonsense"),
        (["offers", "colour=red"], "colour"),
        (["offers", "", "--json", "--csv"], "--csv"),
        (["offers", "price_max=cheap"], "price_max"),
        (["fit", "/nowhere/run.json"], "/nowhere/run.json"),
        (["accuracy", "names", "/nowhere.csv"], "/nowhere.csv"),
        (["accuracy", "beauty", "/nowhere.csv"], "beauty"),
        (["refresh", "no-such-provider"], "no-such-provider"),
        (["record", "no-such-provider"], "no-such-provider"),
        (["providers", "release", "no-such-provider"], "no-such-provider"),
        (["accuracy"], "memory, throughput, names"),
        (["restore", "/nowhere.sqlite3"], "/nowhere.sqlite3"),
        (["serve", "--port", "99999999"], "RACKRATE_PORT"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_two(
    rackrate: Callable[..., Said], arguments: list[str], words: str
) -> None:
    code, out, err = rackrate(*arguments)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert words in err


@pytest.mark.parametrize(
    "text, words",
    [("{", "JSON"), ("[]", "JSON object"), ('{"model": "x", "colour": 1}', "colour"), ("{}", "model"),
     ('{"model": "no-such"}', "no-such"), ('{"model": "llama-3.1-8b", "sequence_length": 0}', "sequence_length")],
)  # fmt: skip
def test_a_run_file_that_is_wrong_is_explained(
    rackrate: Callable[..., Said], tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "run.json").write_text(text)
    code, _, err = rackrate("fit", tmp_path / "run.json")
    assert code == 2
    assert err.count("\n") == 1
    assert words in err


@pytest.mark.parametrize(
    "address, words",
    [("mysql://root@localhost/x", "mysql"), ("sqlite:////proc/x.sqlite3", "unable to open"),
     ("postgresql://nobody@127.0.0.1:1/x", "refused")],
)  # fmt: skip
def test_a_database_address_that_cannot_be_is_refused(
    rackrate: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, address: str, words: str
) -> None:
    monkeypatch.setenv("RACKRATE_DATABASE_URL", address)
    code, _, err = rackrate("offers")
    assert code == 2
    assert err.count("\n") == 1
    assert words in err and "RACKRATE_DATABASE_URL" in err and "Error" not in err


def test_nothing_asked_shows_the_commands_and_no_error(rackrate: Callable[..., Said]) -> None:
    code, out, err = rackrate()
    assert (code, err) == (2, "")
    assert "offers" in out and "serve" in out
    assert rackrate("--version")[1].startswith("rackrate ")


def test_providers_are_cards_with_what_scripts_need(rackrate: Callable[..., Said]) -> None:
    cards = json.loads(rackrate("providers", "--json")[1])
    assert {"slug", "needs_key", "source_kind", "last_success", "offers", "missing", "off"} <= set(cards[0])
    by_slug = {card["slug"]: card for card in cards}
    assert by_slug["runpod"]["last_success"] is None
    assert by_slug["snapshot"]["offers"] > 4000
    assert "runpod" in rackrate("providers")[1]


def test_a_backup_restores_everything(rackrate: Callable[..., Said], tmp_path: Path) -> None:
    query = ("offers", "provider=azure&per_page=500", "--json")
    before = json.loads(rackrate(*query)[1])
    assert rackrate("backup", tmp_path / "kept.sqlite3")[0] == 0
    assert rackrate("backup", tmp_path / "kept.sqlite3")[0] == 2
    assert rackrate("restore", tmp_path / "kept.sqlite3")[0] == 0
    assert json.loads(rackrate(*query)[1]) == before
    (tmp_path / "other").write_text("no database")
    assert rackrate("restore", tmp_path / "other")[0] == 2


@pytest.mark.parametrize("wrong", ["another's", "cut short", "no database"])
def test_a_file_that_is_no_whole_backup_of_ours_replaces_nothing(
    rackrate: Callable[..., Said], tmp_path: Path, wrong: str
) -> None:
    file = tmp_path / "wrong.sqlite3"
    before = rackrate("offers", "provider=aws", "--json")[1]
    if wrong == "another's":
        with sqlite3.connect(file) as connection:
            connection.execute("CREATE TABLE songs (name TEXT)")
    elif wrong == "cut short":
        rackrate("backup", file)
        file.write_bytes(file.read_bytes()[:200_000])
    else:
        file.write_bytes(b"SQLite format 3\0 but nothing of the kind")
    code, _, err = rackrate("restore", file)
    assert (code, err.count("\n")) == (2, 1)
    assert "FILE" in err and "RACKRATE_DATABASE_URL" not in err
    assert rackrate("offers", "provider=aws", "--json")[1] == before


def test_a_backup_that_cannot_be_written_blames_its_file(rackrate: Callable[..., Said]) -> None:
    code, _, err = rackrate("backup", "/proc/backup.sqlite3")
    assert code == 2 and "FILE: /proc/backup.sqlite3" in err


def test_names_are_scored_for_scripts(rackrate: Callable[..., Said], tmp_path: Path) -> None:
    cases = tmp_path / "names.csv"
    cases.write_text(
        "raw,provider_hint,memory_hint_gb,expected_key,note\nNVIDIA H100 80GB HBM3,nvidia-smi,,h100-sxm5-80gb,\n"
    )
    code, out, err = rackrate("accuracy", "names", cases, "--json")
    assert code == 0, err
    assert json.loads(out) == {
        "rows": 1, "exact": 1, "wrong": 0, "cautious": 0, "mistakes": [], "not_scored": {},
    }  # fmt: skip


def test_accuracy_says_every_row_every_group_and_what_it_could_not_take(
    rackrate: Callable[..., Said], tmp_path: Path
) -> None:
    cases = tmp_path / "memory.csv"
    told = {
        "kind": "measured", "quality": "A", "model_key": "gpt2", "params_b": "0.124", "method": "full",
        "weight_dtype": "bf16", "optimizer": "AdamW", "micro_batch": "4", "act_ckpt": "none", "attention": "sdpa",
        "gpus": "1", "sharding": "none", "gpu_type": "A100-80", "gpu_mem_gib": "80", "measured_peak_gib": "4",
        "measured_metric": "allocated", "framework": "torchtune",
    }  # fmt: skip
    with cases.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "seq_len", *told])
        writer.writeheader()
        writer.writerow({"id": "one", "seq_len": "512", **told})
        writer.writerow({"id": "two", "seq_len": "", **told})
    code, out, err = rackrate("accuracy", "memory", cases)
    assert code == 0, err
    assert re.search(r"one .*%.* fits ", out)
    assert "method full" in out
    assert "not taken: two: the sequence length is not given" in out


def test_reference_pages_in_the_repository_are_those_that_docs_writes(
    rackrate: Callable[..., Said], tmp_path: Path
) -> None:
    assert rackrate("docs", "--to", tmp_path)[0] == 0
    kept = Path(__file__).resolve().parents[1] / "docs" / "reference"
    for page in ("columns", "api", "cli", "run", "providers"):
        assert (tmp_path / f"{page}.md").read_text() == (kept / f"{page}.md").read_text(), (
            f"run: rackrate docs ({page})"
        )


def test_refresh_takes_in_live_prices_and_says_no_when_a_source_is_down(
    rackrate: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RACKRATE_HTTP_CACHE", str(tmp_path / "http"))
    with served("runpod") as internet:
        monkeypatch.setenv("RACKRATE_VIA", internet.origin)
        assert rackrate("refresh", "runpod")[0] == 0
        code, _, err = rackrate("refresh", "akash")
    assert code == 1
    assert err.splitlines()[-1] == "no usable answer from akash; see `rackrate providers`"
    cards = {card["slug"]: card for card in json.loads(rackrate("providers", "--json")[1])}
    assert cards["runpod"]["last_success"]
    assert cards["runpod"]["offers"] > 0
    assert cards["akash"]["last_success"] is None
    assert cards["akash"]["last_error"]


def test_record_keeps_what_a_source_answered(
    rackrate: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with served("runpod") as internet:
        monkeypatch.setenv("RACKRATE_VIA", internet.origin)
        code, _, err = rackrate("record", "runpod", "--to", tmp_path / "tape")
    assert code == 0, err
    assert (tmp_path / "tape" / "exchanges.jsonl").stat().st_size > 0
    assert "offers" in err


def test_choices_rent_or_buy_and_trial_answer_on_the_command_line(
    rackrate: Callable[..., Said], tmp_path: Path
) -> None:
    code, out, _ = rackrate("choices", "model=llama-3.1-8b&accelerator_count=8", "--json")
    assert code == 0
    assert json.loads(out)["front"]
    code, out, _ = rackrate("rent-or-buy", "accelerator=h100-sxm5-80gb")
    assert code == 0
    assert "of use owning costs" in out
    trial = run_file(
        tmp_path, model="llama-3.1-8b", measured_on="h100-sxm5-80gb x8", measured_tokens_per_s=60000
    )
    code, out, _ = rackrate("trial", trial)
    assert code == 0
    assert "Corrected by your trial" in out
    for arguments, field in (
        (("choices", "provider=aws"), "model"),
        (("rent-or-buy", "accelerator=h100-sxm5-80gb&pue=0"), "pue"),
        (("trial", trial, "--nvidia-smi", tmp_path / "none.csv"), "--nvidia-smi"),
    ):
        code, _, error = rackrate(*arguments)
        assert code == 2
        assert error.startswith(f"rackrate: {field}:")


def test_fit_prints_no_line_twice_and_says_what_it_leaves_out(
    rackrate: Callable[..., Said], tmp_path: Path
) -> None:
    code, out, err = rackrate("fit", run_file(tmp_path, model="qwen-2.5-7b", method="qlora"))
    rows = [tuple(cell.strip() for cell in line.split("│")[1:4]) for line in out.splitlines() if "│" in line]
    assert code == 0
    assert len(rows) == len(set(rows)) > 5
    assert "--json prints all" in err
