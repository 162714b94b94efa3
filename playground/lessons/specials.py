"""Lesson 15: special tokens are cut out of a text before BPE, and only where the encoder is told to."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from playground.analysis.chat import CHAT_TEMPLATES, Message, encode_chat
from playground.bpe.safe_cuts import SafeCuts
from playground.bpe.special_tokens import iter_special_parts
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import NO_SPECIAL, Tokenizer
from playground.lessons.inputs import ChoiceInput, TextInput
from playground.lessons.lesson import Lesson, Notes, Opening, Question, Shown, readings
from playground.lessons.pieces import ShownPieces, shown_pieces

#: The text is encoded anew for each of its last characters, as when it is typed.
MAX_TYPED, MAX_TEXT_CHARS = 36, 2_000
MAX_PIECES, MAX_CHAT_PIECES = 60, 100
_NAMES = ("gpt2", "cl100k_base")


def n_ids(tokenizer: Tokenizer, text: str) -> tuple[int, int]:
    """How many ids a text has with special tokens honoured, and as plain text.

    >>> n_ids(get_tokenizer("gpt2"), "Hello world how are you<|endoftext|>")
    (6, 12)
    """
    honoured = tokenizer.encode(text, allowed_special=frozenset(tokenizer.special_tokens))
    return len(honoured), len(tokenizer.encode(text))


def parts_of_vocabulary(tokenizer: Tokenizer) -> tuple[int, int, int]:
    """How many tokens are bytes, merges and special tokens.

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
    """A text whose end begins a special token, with all of it; of several, the first in the alphabet.

    >>> completed("you<|end", ["<|endoftext|>"]), completed("you", ["<|endoftext|>"])
    ('you<|endoftext|>', 'you')
    """
    for name in sorted(special):
        for end in range(len(name) - 1, 1, -1):
            if text.endswith(name[:end]):
                return text + name[end:]
    return text


def show(text: str, tokenizer: str) -> Shown:
    """How the ids grow as it is typed; both streams and a chat of the whole text; the vocabulary's parts.

    "added" is what the whole text has and the typed one lacks.
    """
    encoder = get_tokenizer(tokenizer)
    special = frozenset(encoder.special_tokens)
    whole = completed(text, special)
    now, plain = _stream(encoder, text, special), _stream(encoder, whole, NO_SPECIAL)
    figure: dict[str, Any] = {
        "now": now,
        "honoured": now if whole == text else _stream(encoder, whole, special),
        "plain": plain,
        "typed": _typed(encoder, text),
        "added": whole[len(text) :],
        "special": dict(encoder.special_tokens),
        "chat": _chat(whole),
        "vocabulary": _parts(tokenizer),
    }
    question = _question(tokenizer, *_parts(tokenizer))
    if not text:
        return Shown(figure, question, "Type something, and end it with <|endoftext|>.")
    is_there = any(is_special for _, is_special in iter_special_parts(text, special))
    needs = "" if is_there or whole != text else "No special token here: add <|endoftext|>."
    return Shown(figure, question, needs)


def _stream(encoder: Tokenizer, text: str, allowed: frozenset[str]) -> ShownPieces:
    return shown_pieces(encoder, text, max_pieces=MAX_PIECES, allowed_special=allowed)


def _typed(encoder: Tokenizer, text: str) -> list[dict[str, Any]]:
    """How many ids there are after each of the last characters; what no later one changes is counted once."""
    first = max(0, len(text) - MAX_TYPED)
    cut = SafeCuts(encoder.safe_cut, encoder.special_tokens).last(text, 0, first) or 0
    before = n_ids(encoder, text[:cut])
    typed = []
    for end in range(first + 1, len(text) + 1):
        honoured, plain = n_ids(encoder, text[cut:end])
        typed.append({"character": text[end - 1], "n": (before[0] + honoured, before[1] + plain)})
    return typed


def _chat(text: str) -> dict[str, Any]:
    """The text as a user's message to GPT-4: the template's special tokens, and all else as plain text."""
    chat = encode_chat([Message("user", text)], CHAT_TEMPLATES["gpt-4"])
    pieces: list[dict[str, Any]] = []
    n_pieces = 0
    for part in chat.parts:
        if isinstance(part, int):
            name = chat.tokenizer.vocabulary.raw_of(part).decode()
            pieces.append({"text": name, "ids": [part], "is_special": True})
            n_pieces += 1
        else:
            found = shown_pieces(chat.tokenizer, part, max_pieces=MAX_CHAT_PIECES)
            pieces.extend({**piece, "is_special": False} for piece in found["pieces"])
            n_pieces += found["n_pieces"]
    return {"n": len(chat.ids), "n_pieces": n_pieces, "pieces": pieces[:MAX_CHAT_PIECES]}


def _question(name: str, n_bytes: int, n_merges: int, n_special: int) -> Question:
    total = n_bytes + n_merges + n_special

    def hint(guess: str) -> str:
        numbers = readings(guess)
        if n_merges in numbers:
            return "Those are the merges. The bytes before them are tokens too."
        if n_bytes + n_merges in numbers:
            return f"So many are in BPE's table; {n_special} more stand outside it."
        return f"Add the three: {n_bytes:,} bytes, {n_merges:,} merges, {n_special} special."

    return Question(f"How many tokens does {name} have in all?", str(total), hint, also=(f"{total} tokens",))


def _openings(text: str, tokenizer: str) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": text, "tokenizer": tokenizer}),
        Opening("compare", {"text": text, "tokenizers": [*_NAMES, "o200k_base"]}),
    )


SPECIAL_TOKENS = Lesson(
    slug="special-tokens",
    number=15,
    title="Special tokens",
    claim="Special tokens never come out of BPE.",
    time="1:18:26",
    figure="special-tokens",
    steps=(
        "One character more, and many tokens become one.",
        "Typed by a user it stays plain text; honoured, it ends the document.",
        "A chat with GPT-4 sets such tokens around each message.",
        "Bytes, merges and special tokens make the vocabulary.",
    ),
    inputs=(
        TextInput("text", "Text", "Hello world how are you<|endoftext|", max_chars=MAX_TEXT_CHARS),
        ChoiceInput("tokenizer", "Tokenizer", "gpt2", {name: name for name in _NAMES}),
    ),
    try_this="Type the last >.",
    notes=Notes(
        say="The encoder looks for this spelling before BPE; it swaps in an id that no merge can make.",
        ask="What may happen if a chat honours special tokens that a user types?",
        expect="The user can end a message, or write as another role; so a user's text is encoded plain.",
    ),
    show=show,
    sources=(iter_special_parts, n_ids, parts_of_vocabulary),
    openings=_openings,
    in_class=True,
)
