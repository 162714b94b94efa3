"""Tokens that begin with a space, and the completions that a trailing space rules out."""

from collections.abc import Sequence

from playground.analysis.token_details import Unstable, find_unstable, split_unstable
from playground.analysis.vocabulary_index import vocabulary_index
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer, segment
from playground.lessons.inputs import ChoiceInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings
from playground.lessons.pieces import Piece
from playground.lessons.prompts_edge import edge_of, heal, next_counts

_CHOICES = {"gpt2": "GPT-2", "cl100k_base": "GPT-4", "o200k_base": "GPT-4o"}
_MAX_CHARS, _MAX_PIECES, _MAX_COMPLETIONS = 2_000, 24, 60


def count_space_starts(tokenizer: Tokenizer) -> tuple[int, int]:
    """Return the number of tokens that begin with a space, and of all tokens; special tokens don't count.

    >>> from playground.catalog.registry import get_tokenizer
    >>> count_space_starts(get_tokenizer("gpt2"))
    (33135, 50256)
    """
    index = vocabulary_index(tokenizer)
    return int(index.starts_with_space.sum()), len(index.raws)


def show(text: str, tokenizer: str) -> Shown:
    """Return the shares of tokens with a leading space, the text's end, and how it could continue."""
    model = get_tokenizer(tokenizer)
    assert isinstance(model, RankedTokenizer)
    shares = [
        {"name": name, "n": n, "of": of}
        for name in _CHOICES
        for n, of in [count_space_starts(get_tokenizer(name))]
    ]
    n_tokens, n_pieces, pieces = _last_pieces(model, text)
    unstable = find_unstable(model, text, max_shown=_MAX_COMPLETIONS) or Unstable(0, 0, ())
    n_before, n_stable_pieces = n_tokens - sum(len(piece["ids"]) for piece in pieces), 0
    for piece in pieces:
        n_before += len(piece["ids"])
        n_stable_pieces += n_before <= n_tokens - unstable.n_tokens
    figure = {
        "edge": edge_of(text),
        "shares": shares,
        "is_cut": n_pieces > len(pieces),
        "pieces": pieces,
        "n_stable": n_stable_pieces,
        "n_completions": unstable.n_completions,
        "completions": unstable.first,
    }
    question = _question(model, _CHOICES[tokenizer])
    return Shown(figure, question, _needs(text, unstable.n_completions, pieces))


def _last_pieces(tokenizer: Tokenizer, text: str) -> tuple[int, int, list[Piece]]:
    """Return the number of tokens and pieces of a text, and its last pieces."""
    segmentation = segment(tokenizer, text)
    last = segmentation.segments[-_MAX_PIECES:]
    pieces: list[Piece] = [
        {"text": piece.text, "ids": [token.id for token in piece.tokens]} for piece in last
    ]
    return len(segmentation.tokens), len(segmentation.segments), pieces


def _needs(text: str, n_completions: int, pieces: Sequence[Piece]) -> str:
    if not text:
        return "Type a text that ends in a space."
    if not n_completions:
        return "The last word is too long to complete: delete some of it."
    if not text[-1].isspace() and pieces[-1]["text"].strip() == text.split()[-1]:
        return "No trailing space here: add one."
    return ""


def _question(tokenizer: Tokenizer, label: str) -> Question:
    n, of = count_space_starts(tokenizer)

    def hint(guess: str) -> str:
        if any(number >= of for number in readings(guess)):
            return f"It has only {of:,} tokens, and some begin without a space."
        return "Step 1 shows the number for each tokenizer."

    return Question(
        f"How many of {label}'s tokens begin with a space?", str(n), hint, also=(f"{n:,} tokens",)
    )


def _openings(text: str, tokenizer: str) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": text, "tokenizer": tokenizer}),
        Opening("compare", {"text": text, "tokenizers": list(_CHOICES)}),
        Opening("expect", {"text": text.rstrip(" "), "second": text.rstrip(" ") + " ", "mode": "two"}),
    )


SPACES = Lesson(
    slug="spaces",
    number=21,
    title="Spaces",
    claim="After a trailing space, the model can't use its usual next token.",
    guess=Guess(
        "What share of GPT-2's tokens begins with a space?",
        ("a tenth", "a third", "two thirds"),
        right=2,
        proof="33,135 / 50,256",
    ),
    time="1:58:22",
    figure="spaces",
    steps=(
        "These tokens begin with a space: a space belongs to the word after it.",
        "Any of these tokens could complete the end of the text.",
        "Token healing takes the last token back; the next one begins with it.",
    ),
    inputs=(
        TextInput("text", "Type a text", "She was very ", max_chars=_MAX_CHARS),
        ChoiceInput("tokenizer", "Tokenizer", "gpt2", _CHOICES),
    ),
    try_this="Delete the space, then add “hap”.",
    notes=Notes(
        say=(
            "The model learned words together with their space; a text that ends in a lone space is rare in "
            "training."
        ),
        ask="Why can a completion get worse when the prompt ends in a space?",
        expect=(
            "The likely next token begins with a space, but that space is a token already. Counts of a novel "
            "stand in for a model here (arXiv 2406.16829)."
        ),
    ),
    show=show,
    sources=(count_space_starts, split_unstable, next_counts, heal),
    openings=_openings,
    told_at=1,
)
