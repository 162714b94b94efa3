"""What a reader does with the live editor, for the browser tests of the Tokenize page."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

#: Every kind of markup that must stay text.
SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
#: A text of 1,001,000 bytes, as JavaScript; its lines are laid out in a tenth of the time that words take.
OVER_A_MEGABYTE = r"('a'.repeat(1000) + '\n').repeat(1000)"


@dataclass(frozen=True)
class Editor:
    """The editor of a page. Waits are for what a reader sees, never for a time."""

    page: Page

    @property
    def root(self) -> Locator:
        return self.page.locator(".editor")

    @property
    def area(self) -> Locator:
        return self.page.locator("textarea.text")

    @property
    def tokens(self) -> Locator:
        return self.page.locator(".tokens .t")

    @property
    def notes(self) -> Locator:
        return self.page.locator(".notes")

    def wait_until_shown(self) -> "Editor":
        self.tokens.first.wait_for()
        return self

    def wait_until_open(self) -> "Editor":
        self.page.locator(".editor[data-tokenizer]").wait_for()
        return self

    def paste(self, text: str) -> None:
        """Paste into what has the focus, as a person does; `fill` of 100 KB takes Chromium 8 s."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.page.keyboard.press("Control+V")

    def set_text(self, text: str) -> None:
        """Paste over the whole text."""
        self.area.focus()
        self.page.keyboard.press("Control+A")
        if text:
            self.paste(text)
        else:
            self.page.keyboard.press("Delete")

    def put_by_script(self, expression: str) -> None:
        """Set the text to a JavaScript expression, for what neither keys nor clipboards carry."""
        self.area.evaluate(
            f"(area) => {{ area.value = {expression};"
            " area.dispatchEvent(new InputEvent('input', {bubbles: true})); }"
        )

    def set_caret(self, position: int) -> None:
        """Put the caret at a UTF-16 position."""
        self.area.focus()
        self.area.evaluate("(area, at) => area.setSelectionRange(at, at)", position)

    def copied(self, kind: str) -> str:
        """What the button "Copy ids", "Copy JSON" or "Copy Python" puts on the clipboard."""
        return self.copied_by(self.page.get_by_role("button", name=f"Copy {kind}", exact=True))

    def copied_by(self, button: Locator) -> str:
        """What a button puts on the clipboard."""
        said = self.page.locator(".take-away .said")
        said.evaluate("(said) => { said.textContent = ''; }")
        button.click()
        expect(said).to_contain_text("Copied")
        copied: str = self.page.evaluate("navigator.clipboard.readText()")
        return copied

    def ids(self) -> list[int]:
        """The ids that "Copy ids" gives, which are those of what was typed last."""
        return [int(number) for number in self.copied("ids").split(", ") if number]

    def shown(self) -> list[dict[str, Any]]:
        """The filled tokens: text, colour class, and how many ids."""
        tokens: list[dict[str, Any]] = self.page.locator(".tokens").evaluate(
            """(pane) => [...pane.querySelectorAll(".t")].map((token) => ({
              text: token.textContent, color: token.className.match(/c(\\d)/)[1],
              n_ids: Number(token.style.getPropertyValue("--n") || 1), classes: token.className,
            }))"""
        )
        return tokens

    @contextmanager
    def held_answers(self) -> Iterator[None]:
        """What the server answers in the meantime comes at the end."""
        self.page.evaluate(
            """() => {
              const { fetch } = window, held = Promise.withResolvers();
              window.fetch = async (...asked) => {
                const answer = await fetch(...asked);
                await held.promise;
                return answer;
              };
              window.endHold = () => { window.fetch = fetch; held.resolve(); };
            }"""
        )
        yield
        self.page.evaluate("window.endHold()")

    def choose_tokenizer(self, name: str) -> None:
        """Type a name into Streamlit's searchable list, as one does who knows it."""
        picker = self.page.get_by_role("combobox", name="Tokenizer")
        picker.fill(name)
        picker.press("Enter")
        expect(self.root).to_have_attribute("data-tokenizer", name)

    def choose_mode(self, mode: str) -> None:
        """Choose "text", "chat" or "ids"."""
        button = self.page.locator(f".modes [data-mode={mode}]")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")

    def numbers(self) -> dict[str, str]:
        """The row of counts."""
        numbers: dict[str, str] = self.page.locator(".numbers").evaluate(
            """(row) => Object.fromEntries([...row.children].map((group) =>
              [group.querySelector("dt").textContent, group.querySelector("dd").textContent]))"""
        )
        return numbers

    def open_file(self, path: Path) -> None:
        self.page.locator("input.file").set_input_files(path)


def watch_markup(page: Page) -> list[str]:
    """Remember each dialog that opens; a test expects none."""
    dialogs: list[str] = []

    def dismiss(dialog: Any) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    return dialogs


def count_injected(page: Page) -> int:
    """Elements that only a text read as markup could have made, in the page and in its shadow roots."""
    n: int = page.evaluate(
        """() => {
          const roots = [document];
          let n = 0;
          for (const root of roots) {
            n += root.querySelectorAll("img[src=x]").length;
            for (const script of root.querySelectorAll("script")) n += script.textContent === "alert(1)";
            for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot) roots.push(shadowRoot);
          }
          return n;
        }"""
    )
    return n


def join_texts(tokens: Sequence[dict[str, Any]]) -> str:
    return "".join(token["text"] for token in tokens)
