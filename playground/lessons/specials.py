"""Special tokens are split off before BPE, and only if the encoder is asked to."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from playground.analysis.chat import CHAT_TEMPLATES, Message, encode_chat
from playground.bpe.safe_cuts import SafeCuts
from playground.bpe.special_tokens import iter_special_parts
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import NO_SPECIAL, Tokenizer
from playground.core.wording import counted
from playground.lessons.inputs import ChoiceInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings
from playground.lessons.pieces import ShownPieces, shown_pieces

#: The last characters, for each of which the text is encoded as if typed so far; and the text's limit.
MAX_TYPED, MAX_TEXT_CHARS = 36, 2_000
MAX_PIECES, MAX_CHAT_PIECES = 60, 100
_NAMES = ("gpt2", "cl100k_base")


def n_ids(tokenizer: Tokenizer, text: str) -> tuple[int, int]:
    """Return the number of ids of a text with special tokens, and as plain text.

    >>> n_ids(get_tokenizer("gpt2"), "Hello world how are you<|endoftext|>")
    (6, 12)
    """
    with_special = tokenizer.encode(text, allowed_special=frozenset(tokenizer.special_tokens))
    return len(with_special), len(tokenizer.encode(text))


def parts_of_vocabulary(tokenizer: Tokenizer) -> tuple[int, int, int]:
    """Return the number of byte tokens, merges and special tokens.

    >>> parts_of_vocabulary(get_tokenizer("gpt2"))
    (256, 50000, 1)
    """
    n_bytes = sum(len(tokenizer.vocabulary.ids_of(bytes([byte]))) for byte in range(256))
    n_special = len(tokenizer.special_tokens)
    return n_bytes, len(tokenizer.vocabulary) - n_bytes - n_special, n_special


@cache
def _parts(name: str) -> tuple[int, int, int]:
    return parts_of_vocabulary(get_tokenizer(name))


def completed(text: str, special: Collection[str]) -> str:
    """Complete a special token that is begun at the end of a text; the first by name if several match.

    >>> completed("you<|end", ["<|endoftext|>"]), completed("you", ["<|endoftext|>"])
    ('you<|endoftext|>', 'you')
    """
    for name in sorted(special):
        for end in range(len(name) - 1, 1, -1):
            if text.endswith(name[:end]):
                return text + name[end:]
    return text


def show(text: str, tokenizer: str) -> Shown:
    """Return the ids of the text while it is typed, both ways to encode it, a chat, and the vocabulary.

    "typed" has the last characters with the completion of a special token that the text only begins, "added".
    """
    encoder = get_tokenizer(tokenizer)
    special = frozenset(encoder.special_tokens)
    whole = completed(text, special)
    now, plain = _stream(encoder, text, special), _stream(encoder, whole, NO_SPECIAL)
    figure: dict[str, Any] = {
        "now": now,
        "special_ids": now if whole == text else _stream(encoder, whole, special),
        "plain": plain,
        "typed": _typed(encoder, whole),
        "added": whole[len(text) :],
        "special": dict(encoder.special_tokens),
        "chat": _chat(whole),
        "vocabulary": _parts(tokenizer),
    }
    question = _question(tokenizer, *_parts(tokenizer))
    if not text:
        return Shown(figure, question, "Type something that ends with <|endoftext|>.")
    is_there = any(is_special for _, is_special in iter_special_parts(text, special))
    needs = "" if is_there or whole != text else "No special token here: add <|endoftext|>."
    return Shown(figure, question, needs)


def _stream(encoder: Tokenizer, text: str, allowed: frozenset[str]) -> ShownPieces:
    return shown_pieces(encoder, text, max_pieces=MAX_PIECES, allowed_special=allowed)


def _typed(encoder: Tokenizer, text: str) -> list[dict[str, Any]]:
    """Count the ids after each of the last characters; the text before a safe cut is encoded only once."""
    first = max(0, len(text) - MAX_TYPED)
    cut = SafeCuts(encoder.safe_cut, encoder.special_tokens).last(text, 0, first) or 0
    before = n_ids(encoder, text[:cut])
    typed = []
    for end in range(first + 1, len(text) + 1):
        n_special, n_plain = n_ids(encoder, text[cut:end])
        typed.append({"character": text[end - 1], "n": (before[0] + n_special, before[1] + n_plain)})
    return typed


def _chat(text: str) -> dict[str, Any]:
    """Return the text as a user message to GPT-4: special tokens of the template, the rest as plain text."""
    chat = encode_chat([Message("user", text)], CHAT_TEMPLATES["cl100k_base"])
    pieces: list[dict[str, Any]] = []
    for part in chat.parts:
        if isinstance(part, int):
            name = chat.tokenizer.vocabulary.raw_of(part).decode()
            pieces.append({"text": name, "ids": [part], "is_special": True})
        else:
            found = shown_pieces(chat.tokenizer, part, max_pieces=MAX_CHAT_PIECES)
            pieces.extend({**piece, "is_special": False} for piece in found["pieces"])
    return {"n_tokens": len(chat.ids), "pieces": pieces[:MAX_CHAT_PIECES]}


def _question(name: str, n_bytes: int, n_merges: int, n_special: int) -> Question:
    total = n_bytes + n_merges + n_special

    def hint(guess: str) -> str:
        numbers = readings(guess)
        if n_merges in numbers:
            return "That is the number of merges. The single bytes are tokens, too."
        if n_bytes + n_merges in numbers:
            return f"That is BPE's table; add {counted(n_special, 'special token')} outside it."
        return f"Add all three: {n_bytes:,} bytes, {n_merges:,} merges, {n_special} special."

    return Question(f"How many tokens does {name} have in all?", str(total), hint, also=(f"{total} tokens",))


def _openings(text: str, tokenizer: str) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": text, "tokenizer": tokenizer}),
        Opening("compare", {"text": text, "tokenizers": [*_NAMES, "o200k_base"]}),
    )


SPECIAL_TOKENS = Lesson(
    slug="special-tokens",
    number=13,
    title="Special tokens",
    claim="BPE itself never produces a special token.",
    guess=Guess(
        "The last > of <|endoftext|> is typed: what happens to the tokens?",
        ("one more", "no change", "11 become 6"),
        right=2,
        proof="11 | 6 >",
    ),
    time="1:18:26",
    figure="special-tokens",
    steps=(
        "One more character, and many tokens become one.",
        "In a user's text, <|endoftext|> is plain text; as special token, one id.",
        "GPT-4's chat format puts special tokens around each message.",
        "Bytes, merges and special tokens make up the vocabulary.",
    ),
    inputs=(
        TextInput("text", "Text", "Hello world how are you<|endoftext|", max_chars=MAX_TEXT_CHARS),
        ChoiceInput("tokenizer", "Tokenizer", "gpt2", {name: name for name in _NAMES}),
    ),
    try_this="Play, or delete the last >.",
    notes=Notes(
        say="The encoder looks for this spelling before BPE and inserts an id that no merge can make.",
        ask="What could happen if a chat treated a user's text as special tokens?",
        expect="The user could end a message or pose as another role, so user text is encoded as plain text.",
    ),
    show=show,
    sources=(iter_special_parts, n_ids, parts_of_vocabulary),
    openings=_openings,
    told_at=1,
    sets={1: {"text": "Hello world how are you<|endoftext|>"}},
    in_class=True,
)
