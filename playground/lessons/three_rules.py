"""BPE, WordPiece and Unigram learn vocabularies of one size from the same text."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import tokenizer_of
from playground.core.tokenizer import Tokenizer
from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings
from playground.lessons.pieces import shown_pieces
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.unigram import UNIGRAM
from playground.training.algorithms.wordpiece import WORDPIECE
from playground.training.corpora import novel
from playground.training.pretoken_counts import count_pretokens

#: Characters of the novel to learn from, the size of each vocabulary, and characters that are encoded.
N_CHARS, VOCAB_SIZE, MAX_CHARS, MAX_PIECES = 24_000, 600, 200, 40
_PATTERN = SplitPattern.named("gpt2")


@cache
def learned() -> Mapping[str, Tokenizer]:
    """Return the three tokenizers, trained on the beginning of the novel."""
    counts = count_pretokens([novel().texts[0][:N_CHARS]], _PATTERN)
    texts = TrainingTexts(counts, None, None, _PATTERN)
    bpe = BpeLearner(counts, vocab_size=VOCAB_SIZE)
    bpe.advance()
    merges = tuple((merge.left, merge.right, merge.new_id) for merge in bpe.merges())
    found: dict[str, Tokenizer] = {"BPE": tokenizer_of("BPE", BpeModel(_PATTERN, merges))}
    for algorithm in (WORDPIECE, UNIGRAM):
        defaults = {option.name: option.default for option in algorithm.options}
        learner = algorithm.start(texts, VOCAB_SIZE, defaults)
        learner.advance()
        found[algorithm.title] = learner.tokenizer(algorithm.title)
    return found


def texts_of(tokenizer: Tokenizer) -> frozenset[bytes]:
    """Return the bytes of all tokens of at least two bytes, without the space that WordPiece leaves out."""
    raws = map(bytes.strip, tokenizer.vocabulary.raws_of(tokenizer.vocabulary.ids))
    return frozenset(raw for raw in raws if len(raw) > 1)


@cache
def n_shared() -> tuple[int, int]:
    """Return the number of longer tokens that all three have, and that at least one has."""
    all_texts = [*map(texts_of, learned().values())]
    return len(frozenset.intersection(*all_texts)), len(frozenset.union(*all_texts))


def show(text: str) -> Shown:
    """Return the tokens of a text by each rule, and the tokens that the three vocabularies share."""
    shown, (common, union) = text[:MAX_CHARS], n_shared()
    encoded = {
        name: shown_pieces(tokenizer, shown, max_pieces=MAX_PIECES) for name, tokenizer in learned().items()
    }
    rows = [{"name": name, **pieces} for name, pieces in encoded.items()]
    figure: dict[str, Any] = {"rows": rows, "size": VOCAB_SIZE, "n_shared": common, "n_in_any": union}
    if not text:
        return Shown(figure, needs="Type a few words.")
    needs = f"The first {MAX_CHARS} characters are encoded." if shown != text else ""
    return Shown(figure, _question([pieces["n_tokens"] for pieces in encoded.values()]), needs)


def _question(counts: Sequence[int]) -> Question:
    def hint(guess: str) -> str:
        if readings(guess) & {*counts}:
            return "That is another rule's row: count the boxes of the shortest one."
        return "Count the boxes of the shortest row; ×2 stands for two tokens."

    return Question("How many tokens has the shortest of the three rows?", str(min(counts)), hint)


def _openings(text: str) -> Sequence[Opening]:
    return (Opening("compare", {"text": text, "tokenizers": ["gpt2", "bert_uncased", "mistral_v1"]}),)


THREE_RULES = Lesson(
    slug="three-rules",
    number=24,
    title="Three rules, one text",
    claim="The training rule decides the tokens, not only the training text.",
    guess=Guess(
        "Three rules, 600 tokens from one text: how many are the same?",
        ("nearly all", "about half", "fewer than a fifth"),
        right=2,
        proof="43 of 810",
    ),
    time="",
    figure="three-rules",
    steps=(
        "BPE merges the pair with the highest count.",
        "WordPiece's published score joins parts that rarely occur apart; BERT's is unknown.",
        "Unigram begins with many pieces and removes those it needs least.",
    ),
    inputs=(TextInput("text", "Text", "an acquaintance of the handsome sister", max_chars=2_000),),
    try_this="Type words of your own.",
    notes=Notes(
        say="All three were trained just now on the same 24,000 characters of Pride and Prejudice.",
        ask="Why does WordPiece's score prefer rare parts?",
        expect=(
            "It divides by the counts of both parts, so two rare parts that always meet win. Hugging Face's "
            "trainer counts pairs instead, as BPE does."
        ),
    ),
    show=show,
    sources=(learned, n_shared),
    openings=_openings,
)
