"""tiktoken's file of ranks, the Python that loads it, and its proof; no split pattern or special tokens.

The pattern of a published file is known by the file's SHA-256; for any other it has to be chosen.
"""

import base64
import binascii
import hashlib
from collections.abc import Mapping
from functools import lru_cache

from playground.bpe.model import BpeModel, merges_and_whole
from playground.bpe.split_pattern import OPEN_MODEL_PATTERNS, SPLIT_PATTERNS, SplitPattern
from playground.core.errors import CannotHoldError, NeedsPatternError, VocabularyFileError
from playground.files.checks import Files, byte_ids_of, check_count, only_file, read_id, shown
from playground.files.limits import MAX_ENTRIES, MAX_SQUARES, MAX_TOKEN_BYTES, MAX_TOTAL_BYTES
from playground.files.proof import Loaded, library_errors, new_texts, proof_texts, versioned

#: The only accepted gap: p50k_base leaves the id of <|endoftext|> free. The missing rank, the number of
#: ranks, and the last rank.
P50K_HOLE = (50256, 50280, 50280)
#: The split patterns of published files by SHA-256: OpenAI's as in `tiktoken_ext/openai_public.py`, Llama 3's
#: by that of Meta's `tokenizer.model`, the others computed from the shipped vocabularies.
_PUBLISHED = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": SPLIT_PATTERNS["gpt2"],  # r50k_base
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": SPLIT_PATTERNS["gpt2"],  # p50k_base
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": SPLIT_PATTERNS["cl100k"],
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": SPLIT_PATTERNS["o200k"],
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": SPLIT_PATTERNS["llama3"],
    "5a493598071550244b2ee7f26118f3edec2150b9dfa967929a99052ac83fe716": SPLIT_PATTERNS["llama3"],  # GLM-4
    "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103": OPEN_MODEL_PATTERNS["kimi"],
    "316413f0a5497a8219e48697be7faac30a90c0756680c24114266233fba152af": SPLIT_PATTERNS["gpt2"],  # Whisper
}


def write_tiktoken(model: BpeModel, name: str) -> Files:
    """Return a `.tiktoken`: one line per token, its bytes in Base64 and its rank. Raises CannotHoldError."""
    model.need_plain_merges()
    for token_id in model.misfits():
        raw = model.token_bytes()[token_id]
        raise CannotHoldError(
            f"a .tiktoken file cannot hold token {token_id} ({raw!r}): ranks alone would merge it "
            "elsewhere too; choose .model or tokenizer.json"
        )
    return {f"{name}.tiktoken": ranks_text(model.mergeable_ranks())}


def ranks_text(ranks: Mapping[bytes, int]) -> str:
    """Return a table of ranks as the text of a `.tiktoken`, sorted by rank.

    >>> ranks_text({b"b": 1, b"a": 0})
    'YQ== 0\\nYg== 1\\n'
    """
    by_rank = sorted(ranks.items(), key=lambda item: item[1])
    return "".join([f"{base64.b64encode(raw).decode()} {rank}\n" for raw, rank in by_rank])


def load_tiktoken(files: Files, model: BpeModel) -> Loaded:
    """Load the file in tiktoken, adding the split pattern and special tokens that it lacks.

    Raises: CannotHoldError.
    """
    _, text = only_file(files, ".tiktoken")
    return load_ranks(_read_ranks(text, "the file"), model.pattern, model.special_tokens)


def read_tiktoken(files: Files, pattern: SplitPattern | None) -> BpeModel:
    """Read ranks and recover their merges; without a split pattern, the published one is used.

    Raises VocabularyFileError.
    """
    file_name, text = only_file(files, ".tiktoken")
    pattern = pattern or published_pattern(text)
    if pattern is None:
        raise NeedsPatternError(
            f"{file_name} has no split pattern, and its ids depend on one: choose what its maker names, such "
            f"as {', '.join(SPLIT_PATTERNS)}, or none"
        )
    ranks = _read_ranks(text, file_name)
    check_sizes(ranks, file_name)
    byte_ids = byte_ids_of(ranks, file_name)
    _check_for_holes(ranks, file_name)
    merges, whole = merges_and_whole(ranks)
    return BpeModel(pattern, merges, {}, byte_ids, whole)


def published_pattern(text: str) -> SplitPattern | None:
    """Return the split pattern of a published file of ranks; None for any other.

    >>> published_pattern("YQ== 0\\n") is None
    True
    """
    expression = _PUBLISHED.get(hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest())
    return None if expression is None else SplitPattern.of(expression)


def _read_ranks(text: str, file_name: str) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    line_of: dict[int, int] = {}
    for line_number, line in enumerate(text.split("\n"), start=1):
        encoded, _, rank_text = line.strip().partition(" ")
        if not encoded:
            continue
        place = f"{file_name}, line {line_number}"
        try:
            raw = base64.b64decode(encoded, validate=True)
        except (ValueError, binascii.Error) as error:
            raise VocabularyFileError(f"{place}, is not base64, a space and a rank: {error}") from None
        rank = read_id(rank_text, place)
        if raw in ranks:
            raise VocabularyFileError(
                f"{place}: token {shown(raw)} is in line {line_of[ranks[raw]]} too; each token has one rank"
            )
        if line_of.setdefault(rank, line_number) != line_number:
            raise VocabularyFileError(
                f"{place}: rank {rank} is in line {line_of[rank]} too; each token needs its own rank"
            )
        ranks[raw] = rank
    return ranks


def check_sizes(ranks: dict[bytes, int], file_name: str) -> None:
    """Raise VocabularyFileError if a table of ranks exceeds a limit."""
    check_count(len(ranks), "ranks", MAX_ENTRIES, file_name)
    lengths = [len(raw) for raw in ranks]
    check_count(max(lengths, default=0), "bytes in its longest token", MAX_TOKEN_BYTES, file_name)
    check_count(sum(lengths), "bytes in all tokens", MAX_TOTAL_BYTES, file_name)
    check_count(
        sum(n * n for n in lengths), "as the sum of its tokens' squared lengths", MAX_SQUARES, file_name
    )


def _check_for_holes(ranks: dict[bytes, int], file_name: str) -> None:
    """Raise VocabularyFileError if a rank is missing, because then a line is missing.

    The first rank may be larger than 0, where special tokens have the first ids.
    """
    first, last = min(ranks.values()), max(ranks.values())
    if last - first == len(ranks) - 1:
        return
    hole = next(rank for rank, known in enumerate(sorted(ranks.values()), start=first) if rank != known)
    if (hole, len(ranks), last) == P50K_HOLE:
        return
    raise VocabularyFileError(
        f"{file_name} has {len(ranks):,} ranks up to {last:,} but no rank {hole}: lines are "
        "missing, because ranks have no gaps (only OpenAI's p50k_base leaves one out, 50256)"
    )


def tiktoken_snippet(model: BpeModel, name: str) -> str:
    """Return Python that loads the `.tiktoken` file with tiktoken."""
    return tiktoken_program(model, name, f'open("{name}.tiktoken")') + 'print(encoding.encode("Hello world"))'


def tiktoken_program(model: BpeModel, name: str, opening: str) -> str:
    """Return Python that builds tiktoken's `encoding` from a file of ranks; `opening` opens the file."""
    return "\n".join(
        [
            *(["import gzip"] if opening.startswith("gzip.") else []),
            "import base64",
            "import tiktoken",
            "",
            "# Not load_tiktoken_bpe: it keeps a copy of the first file of this name and never looks again.",
            f"with {opening} as file:",
            "    lines = [line.split() for line in file if line.strip()]",
            "ranks = {base64.b64decode(token): int(rank) for token, rank in lines}",
            "encoding = tiktoken.Encoding(",
            f"    name={name!r},",
            f"    pat_str={tiktoken_expression(model.pattern)!r},",
            "    mergeable_ranks=ranks,",
            f"    special_tokens={dict(model.special_tokens)!r},",
            ")",
            "",
        ]
    )


def tiktoken_expression(pattern: SplitPattern) -> str:
    """Return a split pattern for tiktoken, which requires one.

    >>> tiktoken_expression(SplitPattern.named("none"))
    '(?s:.+)'
    """
    return pattern.expression or r"(?s:.+)"


def load_ranks(
    ranks: Mapping[bytes, int], pattern: SplitPattern, special_tokens: Mapping[str, int]
) -> Loaded:
    """Load ranks, a split pattern and special tokens in tiktoken. Raises CannotHoldError."""
    import tiktoken

    library = versioned("tiktoken")
    with library_errors(library):
        encoding = tiktoken.Encoding(
            "export",
            pat_str=tiktoken_expression(pattern),
            mergeable_ranks=dict(ranks),
            special_tokens=dict(special_tokens),
        )
        cuts = _cuts(tiktoken_expression(pattern))
    return Loaded(library, lambda text: encoding.encode(text, allowed_special="all"), cuts.__getitem__)


@lru_cache(maxsize=16)
def _cuts(expression: str) -> Mapping[str, list[str]]:
    """Return the pretokens of each test text.

    tiktoken does not report where it cuts, but takes a pretoken whole if it is a token. In a vocabulary of
    all substrings of the texts, each pretoken is one token.
    """
    import tiktoken

    texts = [*proof_texts(), *new_texts()]
    parts = {
        text[start:end]
        for text in texts
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
    }
    raws = {part.encode(): None for part in parts} | {bytes([byte]): None for byte in range(256)}
    encoding = tiktoken.Encoding(
        "cuts",
        pat_str=expression,
        mergeable_ranks={raw: rank for rank, raw in enumerate(raws)},
        special_tokens={},
    )
    return {
        text: [encoding.decode([token_id]) for token_id in encoding.encode_ordinary(text)] for text in texts
    }
