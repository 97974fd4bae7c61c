"""Host checks in the table are those of the offer's page, and filter by each trouble."""

from __future__ import annotations

from app.market import estimates
from app.market.column import host_family
from tests.market.runs import CATALOG, estimated, row, run
from tests.market.samples import offer


def test_the_word_in_the_table_names_every_sentence_of_the_page() -> None:
    board, table = estimated(
        offer(1, local_disk_gb=100.0, vcpus=16.0), offer(2, local_disk_gb=30_000.0), offer(3, vcpus=None)
    )
    words = [table.host_check[row(board, number)] for number in (1, 2, 3)]
    assert words == ["few_vcpus+small_disk", "ok", None]
    told = estimates.explain(board, f"{1:016x}", run(), CATALOG)
    assert [str(sentence).split(maxsplit=1)[0] for sentence in told.warnings] == ["16", "100"]
    assert estimates.explain(board, f"{2:016x}", run(), CATALOG).warnings == ()


def test_a_data_set_that_must_be_read_fast_asks_for_storage() -> None:
    board, table = estimated(offer(1), dataset_gb=2e5, tokens=1e9)
    assert table.host_check[row(board, 1)] == "slow_storage"
    told = estimates.explain(board, f"{1:016x}", run(dataset_gb=2e5, tokens=1e9), CATALOG)
    assert "local disk" in str(told.warnings[0])


def test_each_trouble_is_a_word_to_filter_by() -> None:
    assert host_family("few_vcpus+small_disk") == ("few_vcpus", "small_disk")
    assert host_family("ok") == ()


def test_a_loader_of_images_wants_twice_the_cores_of_one_of_tokens() -> None:
    board, text = estimated(offer(1, vcpus=40.0))
    images = estimates.estimate(board, run(model="vit-b-16"), CATALOG)
    assert text.host_check[row(board, 1)] == "ok"
    assert images.host_check[row(board, 1)] == "few_vcpus"
    assert "64" in str(estimates.explain(board, f"{1:016x}", run(model="vit-b-16"), CATALOG).warnings[0])
