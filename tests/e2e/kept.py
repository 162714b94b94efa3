"""What the browser has kept of a visit, to be given back after a reload."""

from playwright.sync_api import Page

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
