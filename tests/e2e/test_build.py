"""Build: a student solves a step, gets a hint, and stops a loop that never ends."""

from playwright.sync_api import Page, expect

from playground.lessons.workbench.certificate import read_certificate
from playground.lessons.workbench.steps import steps
from tests.e2e.conftest import download, fill, key, press


def test_a_student_gets_a_hint_solves_steps_and_survives_an_endless_loop_and_a_reload(page: Page) -> None:
    count, *_, last = steps()
    page.goto("/build")
    code = page.get_by_label("Your code")
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_visible(timeout=60_000)
    fill(code, "def get_stats(ids):\n    return {pair: 1 for pair in zip(ids, ids[1:])}\n")
    press(run)
    expect(page.get_by_text("Each number is 1 too low.")).to_be_visible(timeout=60_000)
    fill(code, count.solution)
    key(page, "Control+Enter")
    press(page.get_by_role("button", name="Next: Merge a pair"))
    fill(code, "def merge(ids, pair, new_id):\n    while True:\n        pass\n")
    press(run)
    press(page.get_by_role("button", name="Stop"))
    expect(page.get_by_text("Stopped. Your code is kept.")).to_be_visible()
    fill(code, "def merge(ids, pair, new_id):\n    print('seen')\n    return idz\n")
    press(run)
    expect(page.get_by_text("Line 3: NameError").first).to_be_visible(timeout=60_000)
    expect(page.get_by_label("What your code printed")).to_contain_text("seen")
    page.reload()
    expect(code).to_have_value(
        "def merge(ids, pair, new_id):\n    print('seen')\n    return idz\n", timeout=60_000
    )
    press(page.get_by_role("button", name=last.title))
    expect(page.get_by_text("this step runs with our solution of them")).to_be_visible()
    fill(code, last.solution)
    press(run)
    expect(page.get_by_text("Your tokenizer equals tiktoken.")).to_be_visible(timeout=60_000)
    press(page.locator(".rail").get_by_role("button", name="Certificate"))
    expect(page.get_by_text("0 of 4 milestones reached")).to_be_visible(timeout=60_000)
    saved = download(page, page.get_by_role("button", name="Save certificate.txt"))
    certificate = read_certificate(saved.read_text(encoding="utf-8"))
    assert certificate.is_whole
    assert count.solution.strip() in certificate.code
    page.goto("/build?solutions=hidden")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Show our solution")).to_be_hidden()
