"""A reload of the tab gives back what the browser has kept; another tab gets the tokenizers."""

import pytest
from playwright.sync_api import Page, expect

from playground.server.memory_session import pack_thing
from tests.e2e.conftest import go_to, wait_until_run
from tests.e2e.test_train import QUICK, wait_for_status

pytestmark = pytest.mark.new_visitor
DATA = "JSON, YAML, TOML, XML or CSV"
HAS = """async ([name, packed]) => {
  const asked = indexedDB.open("tessera", 1);
  const base = await new Promise((resolve) => { asked.onsuccess = () => resolve(asked.result); });
  const store = base.transaction("things").objectStore("things");
  const keys = store.getAllKeys(), values = store.getAll();
  await new Promise((resolve) => { values.onsuccess = resolve; });
  base.close();
  return keys.result.some((key, n) => key.endsWith(name) && (!packed || values.result[n].packed === packed));
}"""


def wait_until_kept(page: Page, name: str, packed: str = "") -> None:
    """Wait for a thing in the browser's store; a predicate of Playwright may not wait for a promise."""
    for _ in range(300):
        if page.evaluate(HAS, [name, packed]):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{name} was not kept")


def test_a_tokenizer_data_and_choices_outlive_a_reload(page, app_url):
    page.goto(f"{app_url}/{QUICK}")
    wait_until_run(page)
    wait_for_status(page, "Finished")
    page.get_by_role("radio", name="Keep and export").click()
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("is now in every picker")).to_be_visible()
    go_to(page, "Formats")
    page.get_by_label(DATA).fill('{"typed": 1}')
    page.keyboard.press("Control+Enter")
    wait_until_run(page)
    wait_until_kept(page, "formats.text", pack_thing(b'{"typed": 1}', "it"))
    wait_until_kept(page, "tokenizer/my-tokenizer")
    page.reload()
    pale = page.locator("html[data-comes-back]")
    expect(pale).to_be_attached()
    expect(page.get_by_label(DATA)).to_have_value('{"typed": 1}')
    expect(pale).not_to_be_attached()
    wait_until_run(page)
    page.get_by_label(DATA).fill('{"broken": 1,, 2}')
    page.reload()  # before anyone has sent it
    expect(page.get_by_label(DATA)).to_have_value('{"broken": 1,, 2}')
    page.get_by_role("button", name="Bring the data before back").click()
    expect(page.get_by_label(DATA)).to_have_value('{"typed": 1}')
    go_to(page, "Compare")
    names = page.locator(".figures td:first-child")
    expect(names).to_have_text(["gpt2", "cl100k_base", "my-tokenizer"])
    page.get_by_role("button", name="Open a tokenizer").click()
    page.get_by_role("button", name="Rename one").click()
    page.get_by_role("menuitem", name="my-tokenizer").click()
    page.get_by_label("New name").fill("novel")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(names).to_have_text(["gpt2", "cl100k_base", "novel"])
    wait_until_kept(page, "tokenizer/novel")
    other = page.context.new_page()
    other.goto(f"{app_url}/compare")
    expect(other.locator(".figures td:first-child")).to_have_text(["gpt2", "cl100k_base", "novel"])
    go_to(other, "Formats")
    expect(other.get_by_label(DATA)).not_to_have_value('{"typed": 1}')
    other.close()
