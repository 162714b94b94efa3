"""Streamlit's HTML at a page's own address, with a script before all others.

It says where the app is: else Streamlit asks below the page's address, and the console fills with two
errors a visit. It looks up what is kept: else an address that is typed, and another tab, would have normal
type again, and a reload show an example's figures. It holds files that are dropped early: else a browser
leaves the app for a file that is dropped before the page's code has come. And it asks the page at Back and
Forward, before Streamlit hears of them: a browser tells them in the order in which one began to listen, and
Streamlit begins before any code of a page is there.
"""

from collections.abc import Collection

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

#: `web/memory/type_size.js` writes the size, and `memory.js` beside it takes the mark away once all is back;
#: `web/open_tokenizer/` calls `end`, and opens the files.
_SCRIPT = """<script>
window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href };
try {
  const address = new URL(location.href), kept = JSON.parse(localStorage.getItem("tessera.type"));
  if (kept?.size === "large" && !address.searchParams.has("type")) {
    address.searchParams.set("type", "large");
    history.replaceState(history.state, "", address);
  }
} catch {} // a browser that keeps nothing
try {
  if (sessionStorage.getItem("tessera.tab")) { // what this tab had is on its way
    document.documentElement.toggleAttribute("data-comes-back", true);
    setTimeout(() => document.documentElement.toggleAttribute("data-comes-back", false), 15000);
  }
} catch {} // a browser that keeps nothing
window.tesseraDropped = (() => {
  let files = [];
  const hold = (event) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (event.type === "drop") files = [...event.dataTransfer.files];
  };
  addEventListener("dragover", hold);
  addEventListener("drop", hold);
  const end = () => {
    removeEventListener("dragover", hold);
    removeEventListener("drop", hold);
    return files.splice(0);
  };
  return { end };
})();
addEventListener("popstate", (event) => {
  const asked = new PopStateEvent("tessera:popstate", { state: event.state, cancelable: true });
  if (event.isTrusted && !dispatchEvent(asked)) event.stopImmediatePropagation();
});
</script>"""


def with_address(page: str) -> str:
    """An HTML page whose first script tells Streamlit that the app is where the page is.

    >>> with_address("<head><title>t</title></head>").splitlines()[1]
    'window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href };'
    """
    return page.replace("<head>", f"<head>{_SCRIPT}", 1)


class PageAddress:
    """Middleware that answers for / and the addresses of pages, such as /train, with such a page.

    `names` are the last parts of these addresses: what stands before, a proxy may have put there.
    """

    def __init__(self, app: ASGIApp, *, page: str, names: Collection[str]) -> None:
        self.app = app
        self.page = page
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        is_page = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if is_page and (scope["path"] == "/" or scope["path"].rpartition("/")[2] in self.names):
            response = HTMLResponse(self.page, headers={"Cache-Control": "no-cache"})
            await response(scope, receive, send)
        else:
            await self.app(scope, receive, send)
