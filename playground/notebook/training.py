"""`show_training`: learn merges from a text, and draw what each of them does."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.tokenizer import segment
from playground.core.wording import counted
from playground.notebook.drawing import Drawing, checked_text, framed
from playground.render.curve_svg import curve_svg
from playground.render.shown_bytes import shown_bytes
from playground.render.token_strip import token_strip_html
from playground.training.merges import Merge
from playground.training.pretoken_counts import count_pretokens
from playground.training.trainer import Trainer, model_of
from playground.training.warm_up import warm_up

#: A text that is learned from, merges that are learned, and those that stand in the table.
MAX_CHARS, MAX_MERGES, MAX_ROWS = 5_000_000, 10_000, 20
#: What is shown of the text: so many characters, at so many numbers of merges.
MAX_SAMPLE_CHARS, N_STEPS = 60, 5


@dataclass(frozen=True, slots=True, repr=False)
class Training:
    """A training: its drawing, its merges in the order of learning, and the tokenizer that came of it."""

    drawing: Drawing
    merges: tuple[Merge, ...]
    tokenizer: TrainedTokenizer

    def _repr_html_(self) -> str:
        return self.drawing.html

    def __repr__(self) -> str:
        return self.drawing.text


def show_training(
    text: str,
    n_merges: int = 20,
    *,
    pattern: str = "gpt2",
    sample: str | None = None,
    name: str = "trained here",
) -> Training:
    """Learn byte-level BPE; draw bytes per token, a sample after more and more merges, and the first merges.

    `pattern` is a split pattern's name, "none", or a regular expression. The sample is the text's own
    beginning where none is given. Learning ends early where no pair is left.
    Raises InvalidInputError, TextTooLongError.

    >>> training = show_training("aaabdaaabac", 3, pattern="none")
    >>> training, [merge.raw for merge in training.merges], training.tokenizer.encode("aaab")
    (trained here: 3 merges, 11 bytes become 5 tokens, 2.20 bytes per token: aa aaa aaab,
     [b'aa', b'aaa', b'aaab'],
     [258])
    """
    text = checked_text(text)
    if not text:
        raise InvalidInputError("there is no text to learn from: give one of at least two characters")
    if len(text) > MAX_CHARS:
        raise TextTooLongError(
            f"the text has {len(text):,} characters; a notebook learns from up to {MAX_CHARS:,}. "
            "`python -m playground train` takes files of any size"
        )
    if type(n_merges) is not int or not 1 <= n_merges <= MAX_MERGES:
        raise InvalidInputError(
            f"n_merges must be a whole number from 1 to {MAX_MERGES:,}, and is {n_merges!r:.60}"
        )
    cutting = SplitPattern.parse(pattern)
    warm_up()
    trainer = Trainer(count_pretokens([text], cutting), vocab_size=256 + n_merges)
    trainer.advance()
    merges = tuple(trainer.merges())
    n_tokens = [len(text.encode()), *(merge.n_tokens for merge in merges)]
    tokenizer = TrainedTokenizer(name, model_of(trainer, cutting))
    title = (
        f"{name}: {counted(len(merges), 'merge')}, {counted(n_tokens[0], 'byte')} become "
        f"{counted(n_tokens[-1], 'token')}, {n_tokens[0] / n_tokens[-1]:.2f} bytes per token"
    )
    shown = checked_text(text if sample is None else sample)[:MAX_SAMPLE_CHARS]
    curve = curve_svg([n_tokens[0] / n for n in n_tokens], x_title="merges", y_title="bytes per token")
    early = (
        f"It ended after {counted(len(merges), 'merge')}: no pair is left." if len(merges) < n_merges else ""
    )
    n_left = len(merges) - MAX_ROWS
    more = f"… and {counted(n_left, 'more merge')}, in .merges" if n_left > 0 else ""
    html = framed(
        title,
        curve,
        *_iter_steps(shown, trainer, cutting, len(merges)),
        _table(merges[:MAX_ROWS], trainer.token_bytes()),
        notes=(more, early),
    )
    first = " ".join(shown_bytes(merge.raw) for merge in merges[:MAX_ROWS])
    return Training(Drawing(html, f"{title}: {first}" + (" …" if n_left > 0 else "")), merges, tokenizer)


def _iter_steps(sample: str, trainer: Trainer, pattern: SplitPattern, n_merges: int) -> Iterable[str]:
    """Yield the sample as it is encoded after none, some and all merges."""
    learned = model_of(trainer, pattern)
    for n in sorted({round(n_merges * step / N_STEPS) for step in range(N_STEPS + 1)}):
        known = TrainedTokenizer("so far", type(learned)(pattern, learned.merges[:n]))
        strip = token_strip_html(segment(known, sample), max_segments=MAX_SAMPLE_CHARS)
        yield f'<div class="step"><span>after {counted(n, "merge")}</span>{strip}</div>'


def _table(merges: Sequence[Merge], raw_of: Sequence[bytes]) -> str:
    rows = "".join(
        f"<tr><td>{merge.rank + 1:,}</td>"
        f'<td class="text">{_shown(raw_of[merge.left])} + {_shown(raw_of[merge.right])}</td>'
        f'<td class="text">{_shown(merge.raw)}</td><td>{merge.new_id}</td><td>{merge.pair_count:,}</td>'
        f"<td>{merge.n_tokens:,}</td></tr>"
        for merge in merges
    )
    if not rows:
        return ""
    head = "".join(
        f'<th scope="col"{kind}>{title}</th>'
        for title, kind in (
            ("merge", ""),
            ("pair", ' class="text"'),
            ("token", ' class="text"'),
            ("id", ""),
            ("count", ""),
            ("tokens left", ""),
        )
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _shown(raw: bytes) -> str:
    return escape(shown_bytes(raw[:40]) + ("…" if len(raw) > 40 else ""))
