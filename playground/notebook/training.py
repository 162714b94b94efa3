"""`show_training`: learn merges from a text, and draw the compression curve and what each merge does."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.tokenizer import segment
from playground.core.wording import counted
from playground.notebook.drawings import Drawing, checked_text, framed
from playground.render.merge_tree import open_svg
from playground.render.token_html import token_strip_html
from playground.render.visible_text import shown_bytes
from playground.training.algorithms.bpe import BpeLearner
from playground.training.merges import Merge
from playground.training.pretoken_counts import count_pretokens

WIDTH, HEIGHT = 480, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 16, 22, 34
#: Limit on the points of the curve; its width shows no more.
_MAX_POINTS = 300
_N_TICKS = 5


def curve_svg(values: Sequence[float], *, x_title: str, y_title: str) -> str:
    """Return a line chart of values for 0, 1, 2, …; the y axis begins at the lowest value.

    >>> svg = curve_svg([1.0, 1.5, 1.75], x_title="merges", y_title="bytes per token")
    >>> 'aria-label="bytes per token against merges: from 1.00 to 1.75 after 2"' in svg
    True
    """
    last = len(values) - 1
    low, high = min(values), max(values)

    def x_of(place: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * place / max(last, 1)

    def y_of(value: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * (value - low) / ((high - low) or 1)

    label = f"{y_title} against {x_title}: from {values[0]:.2f} to {values[-1]:.2f} after {last:,}"
    parts = [open_svg("curve", WIDTH, HEIGHT, label)]
    for value in _ticks(low, high):
        y = y_of(value)
        parts.append(f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="y" x="{_LEFT - 6}" y="{y + 4:.1f}">{value:g}</text>')
    for place in _ticks(0, last, is_whole=True):
        parts.append(f'<text class="x" x="{x_of(place):.1f}" y="{HEIGHT - _BOTTOM + 15}">{place:,.0f}</text>')
    step = max(1, -(-last // _MAX_POINTS))
    places = [*range(0, last, step), last]
    line = "L".join(f"{x_of(place):.1f} {y_of(values[place]):.1f}" for place in places)
    x, y = x_of(last), y_of(values[-1])
    parts += [
        f'<text class="x" x="{(WIDTH + _LEFT - _RIGHT) / 2:g}" y="{HEIGHT - 4}">{escape(x_title)}</text>',
        f'<text x="4" y="12">{escape(y_title)}</text>',
        f'<path d="M{line}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>',
        f'<text class="end" x="{x:.1f}" y="{y - 8:.1f}">{values[-1]:.2f}</text></svg>',
    ]
    return "".join(parts)


def _ticks(low: float, high: float, *, is_whole: bool = False) -> list[float]:
    """Return about five round numbers from low to high.

    >>> _ticks(0, 20, is_whole=True), _ticks(1.0, 1.75)
    ([0, 5, 10, 15, 20], [1.0, 1.2, 1.4, 1.6])
    """
    raw = (high - low) / _N_TICKS
    if raw <= 0:
        return [low]
    power = 10.0 ** (len(f"{raw:.0f}") - 1)
    while power > raw:
        power /= 10
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    if is_whole:
        step = max(1, round(step))
    first = -(-low // step)
    ticks = [round((first + n) * step, 9) for n in range(2 * _N_TICKS + 2)]
    return [tick for tick in ticks if tick <= high]


#: Limits: characters of the training text, merges, and rows of the table.
MAX_CHARS, MAX_MERGES, MAX_ROWS = 5_000_000, 10_000, 20
#: Characters of the sample, and the number of states in which it is drawn.
MAX_SAMPLE_CHARS, N_STEPS = 60, 5


@dataclass(frozen=True, slots=True, repr=False)
class Training:
    """A finished training: its drawing, its merges in order, and the trained tokenizer."""

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

    `pattern` is a split pattern's name, "none", or a regular expression. The default sample
    is the beginning of the text. Learning ends early if no pair is left.
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
            "`tessera train` takes files of any size"
        )
    if type(n_merges) is not int or not 1 <= n_merges <= MAX_MERGES:
        raise InvalidInputError(
            f"n_merges must be a whole number from 1 to {MAX_MERGES:,}, and is {n_merges!r:.60}"
        )
    cutting = SplitPattern.parse(pattern)
    trainer = BpeLearner(count_pretokens([text], cutting), pattern=cutting, vocab_size=256 + n_merges)
    trainer.advance()
    merges = tuple(trainer.merges())
    n_tokens = [len(text.encode()), *(merge.n_tokens for merge in merges)]
    tokenizer = TrainedTokenizer(name, trainer.model())
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


def _iter_steps(sample: str, trainer: BpeLearner, pattern: SplitPattern, n_merges: int) -> Iterable[str]:
    """Yield the sample encoded after 0 merges, some, and all."""
    learned = trainer.model()
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
