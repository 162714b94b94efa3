"""Open models' byte-level BPE and chat templates that ship with the app: tables and loading.

`scripts/write_open_vocabularies.py` and `scripts/write_chat_templates.py` make the files again.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from playground.bpe.split_pattern import OPEN_MODEL_PATTERNS
from playground.catalog.normalized import NormalizedTokenizer, library_nfc
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.shipped_vocabularies import About, RankLines, check_hash, read_vocabulary
from playground.catalog.tiktoken_encoding import LazyEncoding
from playground.core.assets import read_text
from playground.core.tokenizer import PythonProgram, Tokenizer

if TYPE_CHECKING:  # imported late below: counting needs no reader of files
    from playground.files.tokenizer_config import TokenizerConfig


class OpenModel(NamedTuple):
    """How an open model's tokenizer is made of a file of ranks; `cuts_like` as in `RankedTokenizer`.

    `file_hash` is the SHA-256 of the ranks as text; for Qwen, GLM and Kimi that of the published file.
    `about` is shown in pickers.
    """

    about: About
    ranks: str
    file_hash: str
    pattern: str
    cuts_like: str
    first_id: int = 0
    is_nfc: bool = False


_CL100K = ("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7")

#: How each encoding is made, by its name.
OPEN_MODELS = {
    "qwen3": OpenModel(
        About("Qwen 2 to 3", "byte-level BPE, NFC", 151_669, "Apache-2.0"),
        "qwen3", "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
        "qwen", "cl100k", is_nfc=True,
    ),
    "deepseek_v3": OpenModel(
        About("DeepSeek V3, R1", "byte-level BPE", 128_815, "MIT"),
        "deepseek_v3", "ea361439831165203088c236a65f20163f58a68d735b51593dfe1068a23920b2",
        "deepseek", "cl100k", first_id=3,
    ),
    "mistral_tekken": OpenModel(
        About("Mistral Nemo, Small 3", "byte-level BPE", 131_072, "Apache-2.0"),
        "mistral_tekken", "e601c3eb93ff531d545cf3c4f73e1ad59da1c456c538ba2368733ec157315b23",
        "tekken", "o200k", first_id=1000,
    ),
    "glm4": OpenModel(
        About("GLM-4, 4.5", "byte-level BPE", 151_365, "MIT"),
        "glm4", "5a493598071550244b2ee7f26118f3edec2150b9dfa967929a99052ac83fe716", "llama3", "cl100k"
    ),
    "kimi_k2": OpenModel(
        About("Kimi K2", "byte-level BPE", 163_840, "modified MIT"),
        "kimi_k2", "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103", "kimi", "o200k"
    ),
    "phi4": OpenModel(About("Phi-4", "byte-level BPE", 100_352, "MIT"), *_CL100K, "llama3", "cl100k"),
    "olmo2": OpenModel(
        About("OLMo 2", "byte-level BPE", 100_278, "Apache-2.0"), *_CL100K, "llama3", "cl100k"
    ),
    "whisper": OpenModel(
        About("Whisper", "byte-level BPE", 51_865, "MIT"),
        "whisper", "316413f0a5497a8219e48697be7faac30a90c0756680c24114266233fba152af", "gpt2", "gpt2"
    ),
}  # fmt: skip
_SPECIAL_TOKENS, _SPECIAL_TOKENS_HASH = (
    "special_tokens.json", "2429c3aa17c0907c0a766dcf7f78ce69ded03570c901fbce9262e821f73105ad",
)  # fmt: skip


def load_open_model(name: str) -> Tokenizer:
    """Load the tokenizer of an open model. Raises VocabularyFileError.

    >>> tokenizer = load_open_model("deepseek_v3")
    >>> tokenizer.encode("Hello world"), tokenizer.special_tokens["<｜User｜>"]
    ([19923, 2058], 128803)
    """
    made = OPEN_MODELS[name]
    pattern = OPEN_MODEL_PATTERNS[made.pattern]
    encoding = LazyEncoding(
        name,
        pat_str=pattern,
        mergeable_ranks=RankLines(_read(f"{made.ranks}.tiktoken", made.file_hash)),
        special_tokens=_special_tokens()[name],
    )
    program = _program(name, made, pattern)
    ranked = RankedTokenizer(encoding, first_id=made.first_id, cuts_like=made.cuts_like, program=program)
    return NormalizedTokenizer(ranked, library_nfc, program) if made.is_nfc else ranked


def _read(file_name: str, file_hash: str) -> bytes:
    data = read_vocabulary(f"{file_name}.gz")
    check_hash(file_name, data, file_hash, source="the published one")
    return data


@cache
def _special_tokens() -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = json.loads(_read(_SPECIAL_TOKENS, _SPECIAL_TOKENS_HASH))
    return found


def _program(name: str, made: OpenModel, pattern: str) -> PythonProgram:
    nfc = "import tokenizers\n" if made.is_nfc else ""
    setup = (
        "# Its ranks are in a file that Tessera saves beside Copy Python.\n"
        f"import gzip\nfrom base64 import b64decode\n\nimport tiktoken\n{nfc}\n"
        f'with gzip.open("assets/vocabularies/{made.ranks}.tiktoken.gz", "rt") as lines:\n'
        "    ranks = {b64decode(token): int(rank) for token, rank in map(str.split, lines)}\n"
        f"encoding = tiktoken.Encoding(\n    {name!r}, mergeable_ranks=ranks, special_tokens={{}},\n"
        f"    pat_str={pattern!r},\n)\n"
    )
    text = "text"
    if made.is_nfc:
        setup += "nfc = tokenizers.normalizers.NFC()\n"
        text = "nfc.normalize_str(text)"
    return PythonProgram(
        setup, f"encoding.encode({text}, disallowed_special=())", "encoding.decode(ids)",
        added={token_id: token for token, token_id in _special_tokens()[name].items()},
    )  # fmt: skip


class OpenChatTemplate(NamedTuple):
    """The tokenizer of a model's template, the file, and the special tokens by role."""

    tokenizer_name: str
    file_name: str
    names: Mapping[str, str]


#: Chat templates by model.
OPEN_CHAT_TEMPLATES = {
    "Qwen3": OpenChatTemplate("qwen3", "qwen3", {"eos_token": "<|im_end|>"}),
    "DeepSeek-V3": OpenChatTemplate(
        "deepseek_v3", "deepseek_v3",
        {"bos_token": "<｜begin▁of▁sentence｜>", "eos_token": "<｜end▁of▁sentence｜>"},
    ),
    "GLM-4.5": OpenChatTemplate("glm4", "glm4_5", {"eos_token": "<|endoftext|>"}),
}  # fmt: skip


@cache
def open_model_config(model: str) -> "TokenizerConfig":
    """Return the chat template of an open model. Raises AssetError.

    >>> open_model_config("DeepSeek-V3").names["bos_token"]
    '<｜begin▁of▁sentence｜>'
    """
    from playground.files.tokenizer_config import DEFAULT, TokenizerConfig

    made = OPEN_CHAT_TEMPLATES[model]
    return TokenizerConfig({DEFAULT: read_text(f"chat_templates/{made.file_name}.jinja")}, made.names, ())
