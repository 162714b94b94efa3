"""Time from a key press to painted tokens on Tokenize, for each kind of tokenizer, in headless Chromium.

Run `python -m benchmarks.kinds_keystroke`. Each tokenizer has its own page, and keys go to the pages in
turns, so that all have the same conditions. CPU time of the server and the page is reported with the elapsed
time.
"""

import argparse
import io
import random
import re
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

import tokenizers
from playwright.sync_api import Browser, CDPSession, Page, expect, sync_playwright
from sentencepiece import SentencePieceTrainer
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from benchmarks.keystroke import VIEW, measure_key, put_text, sample_text, started, wait_for_script
from tests.browser import ARGUMENTS, find_chromium

#: Vocabulary size of the files made here.
N_PIECES = 16_000


class Typed:
    """A page of Tokenize with one tokenizer, and its keys' elapsed and CPU times."""

    def __init__(self, browser: Browser, address: str, name: str, text: str, file: bytes | None) -> None:
        self.name = name.split(".")[0]
        self.page: Page = browser.new_context(**VIEW).new_page()
        self.page.goto(address)
        wait_for_script(self.page)
        if file is None:
            self._choose()
        else:
            self.page.get_by_role("combobox", name="Tokenizer", exact=True).click(timeout=60_000)
            self.page.get_by_role("button", name="Open a tokenizer file").click()
            field = self.page.get_by_label("Tokenizer files")
            field.set_input_files({"name": name, "mimeType": "", "buffer": file})
        expect(self.page.locator(".editor")).to_have_attribute("data-tokenizer", self.name, timeout=60_000)
        put_text(self.page, text)
        self._costs: CDPSession = self.page.context.new_cdp_session(self.page)
        self._costs.send("Performance.enable")
        self.times: list[float] = []
        self.server_ms: list[float] = []
        self.page_ms: list[float] = []

    def press(self, key: str, server_id: int) -> None:
        """Press one key, and wait until its tokens are painted."""
        before = _processor_ms(server_id), self._page_ms()
        self.times.append(measure_key(self.page, key))
        self.server_ms.append(_processor_ms(server_id) - before[0])
        self.page_ms.append(self._page_ms() - before[1])

    def _choose(self) -> None:
        picker = self.page.get_by_role("combobox", name="Tokenizer", exact=True)
        picker.click()
        picker.press_sequentially(self.name)
        self.page.get_by_role("option", name=re.compile(rf"^{self.name}\b")).first.click()

    def _page_ms(self) -> float:
        metrics = self._costs.send("Performance.getMetrics")["metrics"]
        return 1000 * float(next(row["value"] for row in metrics if row["name"] == "ProcessTime"))


def _processor_ms(process_id: int) -> float:
    """Return the CPU time of a process and its threads; Linux has a clock for each (CPUCLOCK_SCHED)."""
    return 1000 * time.clock_gettime(~process_id << 3 | 2)


def made_files(wanted: re.Pattern[str]) -> dict[str, bytes]:
    """Train files of the named kinds on Python's documentation."""
    corpus = sample_text(600_000).splitlines()
    made: dict[str, bytes] = {}
    for kind in ("bpe", "unigram"):
        if not wanted.search(f"sentencepiece_{kind}"):
            continue
        written = io.BytesIO()
        SentencePieceTrainer.train(
            sentence_iterator=iter(corpus), model_writer=written, model_type=kind, vocab_size=N_PIECES,
            byte_fallback=True, hard_vocab_limit=False, minloglevel=2,
        )  # fmt: skip
        made[f"sentencepiece_{kind}.model"] = written.getvalue()
    for name, (model, trainer, parts) in _documents().items():
        if not wanted.search(name):
            continue
        tokenizer: Any = tokenizers.Tokenizer(model)
        for part, step in parts.items():
            setattr(tokenizer, part, step)
        tokenizer.train_from_iterator(corpus, trainer)
        made[f"{name}.json"] = tokenizer.to_str().encode()
    return made


def _documents() -> Mapping[str, tuple[Any, Any, Mapping[str, Any]]]:
    options: dict[str, Any] = {"vocab_size": N_PIECES, "show_progress": False}
    alphabet = [f"<0x{byte:02X}>" for byte in range(256)]
    spaces = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    return {
        "like_t5": (
            models.Unigram(),
            trainers.UnigramTrainer(unk_token="<unk>", special_tokens=["<unk>"], **options),
            {"normalizer": normalizers.NFKC(), "pre_tokenizer": pre_tokenizers.Metaspace()},
        ),
        "like_modernbert": (
            models.BPE(),
            trainers.BpeTrainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options),
            {
                "normalizer": normalizers.NFC(),
                "pre_tokenizer": pre_tokenizers.ByteLevel(add_prefix_space=False),
                "decoder": decoders.ByteLevel(),
            },
        ),
        "like_bert": (
            models.WordPiece(unk_token="[UNK]"),
            trainers.WordPieceTrainer(special_tokens=["[UNK]"], **options),
            {
                "normalizer": normalizers.BertNormalizer(),
                "pre_tokenizer": pre_tokenizers.BertPreTokenizer(),
            },
        ),
        "like_llama_2": (
            models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True),
            trainers.BpeTrainer(special_tokens=["<unk>", *alphabet], max_token_length=16, **options),
            {
                "normalizer": normalizers.Sequence(spaces),
                "decoder": decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback()]),
            },
        ),
    }


def measure(browser: Browser, address: str, server_id: int, names: Mapping[str, bytes | None], *,
            n_bytes: int, n_keys: int) -> list[Typed]:  # fmt: skip
    """Type the same keys into a text in each tokenizer, in turns."""
    text = sample_text(n_bytes)
    pages = [Typed(browser, address, name, text, file) for name, file in names.items()]
    chance = random.Random(0)
    time.sleep(3)  # work that runs a moment after a new text
    for key in chance.choices("etaoinshrdlu ", k=n_keys):
        for typed in chance.sample(pages, len(pages)):
            typed.press(key, server_id)
    for typed in pages:
        typed.page.context.close()
    return pages


def report(pages: Sequence[Typed]) -> None:
    """Print median and 95th percentile of each, and its CPU time relative to the first."""
    first = pages[0]
    for typed in pages:
        print(
            f"{typed.name:<24} median {statistics.median(typed.times):6.1f} ms   "
            f"p95 {statistics.quantiles(typed.times, n=20)[-1]:6.1f} ms   "
            f"processor: server {statistics.median(typed.server_ms):5.1f} ms, "
            f"page {statistics.median(typed.page_ms):5.1f} ms   "
            f"{statistics.median(typed.times) / statistics.median(first.times):.2f} times {first.name}"
            f" ({statistics.median(_sums(typed)) / statistics.median(_sums(first)):.2f} by processor)",
            flush=True,
        )


def _sums(typed: Typed) -> list[float]:
    return [server + page for server, page in zip(typed.server_ms, typed.page_ms, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=100)
    parser.add_argument("--only", help="regular expression of names, beside gpt2")
    parser.add_argument("--bytes", type=int, help="this size of text alone, of 10000 and 100000")
    arguments = parser.parse_args()
    wanted = re.compile(arguments.only or "")
    of_library = {"mistral_v1": None, "bert_uncased": None, **made_files(wanted)}
    with sync_playwright() as playwright, started("streamlit_app.py") as (address, server_id):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        for n_bytes, names in (
            (100_000, {"qwen3": None, "deepseek_v3": None}),
            (10_000, of_library),
            (100_000, of_library),
        ):
            chosen = {name: file for name, file in names.items() if wanted.search(name)}
            if chosen and arguments.bytes in (None, n_bytes):
                print(f"\n{n_bytes:,} bytes")
                report(
                    measure(
                        browser, address, server_id, {"gpt2": None, **chosen},
                        n_bytes=n_bytes, n_keys=arguments.keys,
                    )
                )  # fmt: skip
        browser.close()


if __name__ == "__main__":
    main()
