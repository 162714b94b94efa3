"""Build: a student solves a step, gets a hint, and stops a loop that never ends."""

from playwright.sync_api import Page, expect

from playground.lessons.workbench.certificate import read_certificate
from playground.lessons.workbench.steps import steps


def test_a_student_gets_a_hint_solves_steps_and_survives_an_endless_loop_and_a_reload(page: Page) -> None:
    count, *_, last = steps()
    page.goto("/build")
    code = page.get_by_label("Your code")
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_visible(timeout=60_000)
    code.fill("def get_stats(ids):\n    return {pair: 1 for pair in zip(ids, ids[1:])}\n")
    run.click()
    expect(page.get_by_text("Each number is 1 too low.")).to_be_visible(timeout=60_000)
    code.fill(count.solution)
    code.press("Control+Enter")
    page.get_by_role("button", name="Next: Merge a pair").click()
    code.fill("def merge(ids, pair, new_id):\n    while True:\n        pass\n")
    run.click()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped. Your code is kept.")).to_be_visible()
    code.fill("def merge(ids, pair, new_id):\n    print('seen')\n    return idz\n")
    run.click()
    expect(page.get_by_text("Line 3: NameError").first).to_be_visible(timeout=60_000)
    expect(page.get_by_label("What your code printed")).to_contain_text("seen")
    page.reload()
    expect(code).to_have_value(
        "def merge(ids, pair, new_id):\n    print('seen')\n    return idz\n", timeout=60_000
    )
    page.get_by_role("button", name=last.title).click()
    expect(page.get_by_text("this step runs with our solution of them")).to_be_visible()
    code.fill(last.solution)
    run.click()
    expect(page.get_by_text("Your tokenizer equals tiktoken.")).to_be_visible(timeout=60_000)
    page.locator(".rail").get_by_role("button", name="Certificate").click()
    expect(page.get_by_text("0 of 4 milestones reached")).to_be_visible(timeout=60_000)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save certificate.txt").click()
    certificate = read_certificate(download.value.path().read_text(encoding="utf-8"))
    assert certificate.is_whole
    assert count.solution.strip() in certificate.code
    page.goto("/build?solutions=hidden")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Show our solution")).to_be_hidden()
