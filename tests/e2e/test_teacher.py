"""As a teacher would: train, then see where " tokenization" differs and which merge came first."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.conftest import go_to
from tests.e2e.test_train import SECONDS, open_train, wait_for_status


def test_a_tokenizer_trained_here_stands_beside_openais(open_page: Callable[..., Page]) -> None:
    page = open_train(open_page)
    page.get_by_test_id("stMain").get_by_role("button", name="Stop").click()  # not Streamlit's own
    wait_for_status(page, "Stopped")
    page.get_by_role("radio", name="Keep and export").click(timeout=SECONDS)
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("in every picker")).to_be_visible()

    go_to(page, "Compare")
    names = ["gpt2", "cl100k_base", "my-tokenizer"]
    expect(page.locator(".figures td:first-child")).to_have_text(names)
    page.locator("textarea.text").fill(" tokenization")
    expect(page.locator(".compare")).to_have_attribute("data-shown", "13")
    counts = page.locator(".figures td.count").all_text_contents()
    assert counts[:2] == ["2", "2"]
    assert int(counts[2]) > 2
    expect(page.locator(".legend")).to_contain_text("in one only")

    go_to(page, "Merge tree")
    race = page.locator("svg.race")
    expect(race.locator(".name")).to_have_text(names)
    expect(race.locator(".summary").filter(has_text="first merge")).to_have_count(3)
    expect(page.get_by_text("cl100k_base makes its 2 parts first, by rank 4,037")).to_be_visible()
