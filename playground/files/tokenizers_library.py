"""What Hugging Face's `tokenizers` makes of our files.

It is imported only when a file or a pattern asks for it.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern, iter_pretokens
from playground.core.errors import InvalidInputError, VocabularyFileError
from playground.files.checks import shown
from playground.files.proof import Loaded, library_errors, new_texts, proof_texts, versioned

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: The patterns as its regex engine (Oniguruma) reads them: there `{1,3}+` repeats a repeat and `$` stands at
#: each line's end.
HUGGING_FACE_PATTERNS = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z"
        r"|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k": SPLIT_PATTERNS["o200k"],
    "llama3": SPLIT_PATTERNS["llama3"],
}


def split_expression(pattern: SplitPattern) -> str:
    """A split pattern as Oniguruma reads it.

    >>> split_expression(SplitPattern.named("gpt2"))[-14:]
    '|\\\\s+(?!\\\\S)|\\\\s+'
    """
    return HUGGING_FACE_PATTERNS.get(pattern.name, pattern.expression)


def check_cuts(pattern: SplitPattern, place: str) -> None:
    """Raise VocabularyFileError where Oniguruma cuts the test text otherwise than we do."""
    from tokenizers import Regex, pre_tokenizers

    library = versioned("tokenizers")
    try:
        with library_errors(library):
            split = pre_tokenizers.Split(Regex(pattern.expression), behavior="isolated")
            for text in [*proof_texts(), *new_texts()]:
                cuts = [part for part, _ in split.pre_tokenize_str(text)]
                if cuts != [part for part, _ in iter_pretokens(text, pattern)]:
                    raise VocabularyFileError(
                        f"{place}: by the pattern {shown(pattern.expression)} {library} cuts {shown(text)} "
                        "otherwise than Python's regex, which would be used here"
                    )
    except InvalidInputError as error:
        raise VocabularyFileError(f"{place}: {error}") from None


def load_document(text: str) -> Loaded:
    """Load a `tokenizer.json`. Raises CannotHoldError."""
    from tokenizers import Tokenizer

    library = versioned("tokenizers")
    with library_errors(library):
        loaded = Tokenizer.from_str(text)
    return _loaded(library, loaded)


def load_two_files(
    encoder_json: str, vocab_bpe: str, pattern: SplitPattern, special_tokens: Mapping[str, int]
) -> Loaded:
    """Load GPT-2's two files, and give what they do not hold: pattern and special tokens.

    Raises: CannotHoldError.
    """
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    library = versioned("tokenizers")
    with library_errors(library), tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("encoder.json", "vocab.bpe")]
        for path, text in zip(paths, (encoder_json, vocab_bpe), strict=True):
            path.write_text(text, encoding="utf-8", newline="")
        loaded = Tokenizer(models.BPE.from_file(*map(str, paths)))
        steps: list[Any] = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
        if not pattern.is_none:
            steps.insert(0, pre_tokenizers.Split(Regex(split_expression(pattern)), behavior="isolated"))
        loaded.pre_tokenizer = pre_tokenizers.Sequence(steps)
        loaded.add_special_tokens(list(special_tokens))
    return _loaded(library, loaded)


def _loaded(library: str, loaded: "Tokenizer") -> Loaded:
    def cut(text: str) -> list[str]:
        parts = loaded.pre_tokenizer.pre_tokenize_str(text)
        return [text[start:end] for _, (start, end) in parts]

    return Loaded(library, lambda text: loaded.encode(text).ids, cut)
