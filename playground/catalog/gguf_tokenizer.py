"""The tokenizer in a GGUF file's header, rewritten as a file with which a library gives llama.cpp's ids.

The file is a tokenizer.json or a SentencePiece model. The split patterns of a byte-level BPE are those of
llama.cpp, in `assets/gguf_patterns.json`; a file only names them.
"""

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from playground.core.assets import read_json
from playground.core.errors import VocabularyFileError
from playground.files import bert_of_llama
from playground.files.checks import check_count, shown
from playground.files.gguf import read_header
from playground.files.library_document import MAX_MERGES
from playground.files.library_file import LibraryKind

#: Types of tokens.
_NORMAL, _UNKNOWN, _CONTROL, _USER, _UNUSED, _BYTE = _TYPES = range(1, 7)
_SPACE = "\u2581"
#: Tokens that llama.cpp makes control tokens, or shows, whatever the file says, and those beside which "</s>"
#: is an ordinary token. Source: `llama_vocab::impl::load` in its `llama-vocab.cpp`.
_ENDS = frozenset(
    {
        *("<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>"),
        *("<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]"),
        *("<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>", "[e~["),
        "<｜end▁of▁sentence｜>",
    }
)
_SHOWN = frozenset({"<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"})
_WITH_ORDINARY_S = frozenset({"<|tool_response>", "<|plamo:eos|>"})
#: Special tokens of Phi-3 that take no white space.
_STRIPPING_NOTHING = frozenset({"<unk>", "<s>", "<|endoftext|>"})
#: Special tokens as a header names them, and as library files do.
_ROLES = {"bos": "bos", "eos": "eos", "unknown": "unk", "padding": "pad"}


class TokenizerInGguf(NamedTuple):
    """The tokenizer of a header as a file of a library, with its `tokenizer_config.json`."""

    kind: LibraryKind
    raw: bytes
    config: bytes


class _Header:
    """The part of a header that describes the tokenizer, with checked types."""

    def __init__(self, header: dict[str, Any], file_name: str) -> None:
        self.header = header
        self.file_name = file_name
        self.model: str = self.get("model", str, "")
        if not self.model:
            raise VocabularyFileError(f"{file_name} contains no tokenizer (tokenizer.ggml.model)")
        self.tokens = [
            token or f"[EMPTY_{token_id}]" for token_id, token in enumerate(self.many("tokens", str))
        ]
        if not self.tokens:
            raise VocabularyFileError(f"{file_name} contains no tokens (tokenizer.ggml.tokens)")
        if len(set(self.tokens)) < len(self.tokens):
            raise VocabularyFileError(f"{file_name}: two tokens are spelled the same")
        self.types: Sequence[int] = self._types(self.many("token_type", int) or [_NORMAL] * len(self.tokens))
        self.scores: Sequence[float] = self.many("scores", (int, float)) or [0.0] * len(self.tokens)
        if min(len(self.types), len(self.scores)) < len(self.tokens):
            raise VocabularyFileError(f"{file_name} has fewer types or scores than tokens")

    def get(self, key: str, kind: type | tuple[type, ...], default: Any) -> Any:
        value = self.header.get(f"tokenizer.ggml.{key}", default)
        if not isinstance(value, kind):
            raise VocabularyFileError(f"{self.file_name}: tokenizer.ggml.{key} has a wrong type")
        return value

    def many(self, key: str, kind: type | tuple[type, ...]) -> Sequence[Any]:
        found: Sequence[Any] = self.get(key, (list, tuple), ())
        if not all(isinstance(item, kind) for item in found):
            raise VocabularyFileError(f"{self.file_name}: tokenizer.ggml.{key} has items of a wrong type")
        return found

    def _types(self, given: Sequence[int]) -> list[int]:
        """Return the types with llama.cpp's corrections: names that end an answer are control tokens."""
        tokens, types = {*self.tokens}, [*given]
        ends = _ENDS - ({"</s>"} if tokens & _WITH_ORDINARY_S else set())
        shown = _SHOWN | ({"<|end|>"} if tokens >= {"<|return|>", "<|call|>"} else set())
        for token_id, token in enumerate(self.tokens[: len(types)]):
            if token in shown:
                types[token_id] = _USER
            elif token in ends:
                types[token_id] = _CONTROL
        return types

    @property
    def stripping(self) -> set[int]:
        """The ids of special tokens that take the white space behind them: Phi-3's, but for three."""
        model = self.header.get("general.name", "")
        if not (isinstance(model, str) and re.search("phi-?3", model.lower())):
            return set()
        return {
            token_id
            for token_id, token in enumerate(self.tokens)
            if self.types[token_id] in (_UNKNOWN, _CONTROL, _USER) and token not in _STRIPPING_NOTHING
        }

    def token_id_of(self, role: str, default: int | None = None) -> int | None:
        """Return the id of the token with a role; None if the file names none of its tokens."""
        token_id = self.header.get(f"tokenizer.ggml.{role}_token_id", default)
        return token_id if isinstance(token_id, int) and 0 <= token_id < len(self.tokens) else None

    def token_of(self, role: str, default: int | None = None) -> str | None:
        """Return the token with a role; None if the file names none of its tokens."""
        token_id = self.token_id_of(role, default)
        return None if token_id is None else self.tokens[token_id]

    def refuse(self, what: str) -> VocabularyFileError:
        return VocabularyFileError(
            f"{self.file_name}: {what}; open the tokenizer.json or tokenizer.model of the model that the "
            "file was made of"
        )


def tokenizer_in(raw: bytes, file_name: str) -> TokenizerInGguf:
    """Return the tokenizer in a file's header.

    Raises VocabularyFileError, which names the part that is not known.
    """
    header = _Header(read_header(raw, file_name), file_name)
    match header.model:
        case "gpt2":
            document = _byte_level(header)
        case "gemma4":
            document = _gemma_4(header)
        case "bert":
            document = _word_pieces(header)
        case "llama" | "t5":
            return TokenizerInGguf("sentencepiece.model", _sentencepiece(header), _config(header))
        case unknown:
            raise header.refuse(f"the kind of tokenizer {shown(unknown)} is not known")
    content = json.dumps(document, ensure_ascii=False).encode(errors="replace")
    return TokenizerInGguf("tokenizer.json", content, _config(header))


def _byte_level(header: _Header) -> dict[str, Any]:
    """Return a tokenizer.json of GPT-2's kind, split as llama.cpp splits for the file's `pre`."""
    pre: str = header.get("pre", str, "")
    if not pre:
        raise header.refuse("it does not name how it splits a text (tokenizer.ggml.pre)")
    known = _patterns().get(pre)
    if known is None:
        raise header.refuse(f"the way to split a text {shown(pre)} (tokenizer.ggml.pre) is not known")
    patterns, ignore_merges = known
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return _document(
        header,
        pre_tokenizer={"type": "Sequence", "pretokenizers": [*map(_split, patterns), byte_level]},
        decoder=byte_level,
        model=_bpe(header, ignore_merges=ignore_merges),
    )


@cache
def _patterns() -> dict[str, tuple[list[str], bool]]:
    """Map each name of a `pre` to its patterns, and whether words of the vocabulary are taken whole."""
    return {
        name: (group["patterns"], takes_whole_words)
        for group in read_json("gguf_patterns.json")
        for key, takes_whole_words in (("names", False), ("names_that_take_whole_words", True))
        for name in group[key]
    }


def _gemma_4(header: _Header) -> dict[str, Any]:
    """Return a tokenizer.json that merges whole lines, with a token for each byte that no other covers."""
    return _document(
        header,
        normalizer={"type": "Replace", "pattern": {"String": " "}, "content": _SPACE},
        pre_tokenizer=_split("\\n+"),
        decoder={
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": _SPACE}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
            ],
        },
        model=_bpe(header, byte_fallback=True, fuse_unk=True, unk_token=header.token_of("unknown")),
    )


def _word_pieces(header: _Header) -> dict[str, Any]:
    """Return a tokenizer.json of BERT's kind. The file marks starts of words, BERT their continuations."""
    lower: bool = header.get("normalizer.lowercase", bool, True)
    accents: bool = header.get("normalizer.strip_accents", bool, lower)
    vocab: dict[str, int] = {}
    for token_id, token in enumerate(header.tokens):
        is_named = header.types[token_id] in (_UNKNOWN, _CONTROL) or re.fullmatch(r"\[\w+\]", token)
        spelled = token if is_named else token[1:] if token.startswith(_SPACE) else f"##{token}"
        vocab[spelled] = token_id
    unknown = header.token_of("unknown", default=100)  # llama.cpp's default
    if unknown is None:
        raise header.refuse("it does not name its unknown token (tokenizer.ggml.unknown_token_id)")
    return _document(
        header,
        normalizer=bert_of_llama.normalizer(lowercase=lower, strip_accents=accents),
        pre_tokenizer=bert_of_llama.PRE_TOKENIZER,
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
        model={"type": "WordPiece", "unk_token": unknown, "continuing_subword_prefix": "##",
               "max_input_chars_per_word": 200, "vocab": vocab},
    )  # fmt: skip


def _split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def _document(header: _Header, **parts: Any) -> dict[str, Any]:
    stripping = header.stripping
    added = [
        {"id": token_id, "content": token, "single_word": False, "lstrip": False,
         "rstrip": token_id in stripping,
         "normalized": False, "special": header.types[token_id] != _USER}
        for token_id, token in enumerate(header.tokens)
        if header.types[token_id] in (_UNKNOWN, _CONTROL, _USER)
    ]  # fmt: skip
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
            "normalizer": None, "post_processor": None} | parts  # fmt: skip


def _bpe(header: _Header, **options: Any) -> dict[str, Any]:
    merges = header.many("merges", str)
    if not merges:
        raise header.refuse("it has no merges (tokenizer.ggml.merges)")
    check_count(len(merges), "merges", MAX_MERGES, header.file_name)
    if not all(merge.count(" ") == 1 and merge.strip(" ") == merge for merge in merges):
        raise header.refuse("a merge is not two tokens with a space between (tokenizer.ggml.merges)")
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
            "vocab": {token: token_id for token_id, token in enumerate(header.tokens)},
            "merges": merges} | options  # fmt: skip


def _sentencepiece(header: _Header) -> bytes:
    """Return a SentencePiece model: BPE by scores, or a Unigram with its table of characters."""
    from sentencepiece import sentencepiece_model_pb2  # imported here because other kinds don't need it

    document = vars(sentencepiece_model_pb2)["ModelProto"]()
    is_unigram = header.model == "t5"
    unknown = header.get("unknown_token_id", int, 0)
    if not set(header.types) <= {0, *_TYPES}:
        raise header.refuse("it has a type of token that is not known (tokenizer.ggml.token_type)")
    for place, token in enumerate(header.tokens):
        score, kind = header.scores[place], header.types[place]
        piece = document.pieces.add()
        piece.piece = token.replace(" ", _SPACE) if kind == _USER else token
        piece.score = score
        if place == unknown:  # a model has exactly one
            piece.type = _UNKNOWN
        else:
            piece.type = _UNUSED if kind == _UNKNOWN else kind or _NORMAL
    trainer, normalizer = document.trainer_spec, document.normalizer_spec
    trainer.model_type = trainer.UNIGRAM if is_unigram else trainer.BPE
    trainer.vocab_size = len(header.tokens)
    trainer.byte_fallback = _BYTE in header.types
    for role, field in _ROLES.items():
        token_id = header.token_id_of(role)
        if token_id is not None:
            setattr(trainer, f"{field}_id", token_id)
            setattr(trainer, f"{field}_piece", header.tokens[token_id])
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = header.get("add_space_prefix", bool, True)
    normalizer.remove_extra_whitespaces = header.get("remove_extra_whitespaces", bool, False)
    normalizer.precompiled_charsmap = bytes(byte & 0xFF for byte in header.many("precompiled_charsmap", int))
    raw: bytes = document.SerializeToString()
    return raw


def _config(header: _Header) -> bytes:
    """Return the names of the special tokens and the chat templates as a `tokenizer_config.json`."""
    config: dict[str, Any] = {
        f"{name}_token": token
        for role, name in _ROLES.items()
        if (token := header.token_of(role)) is not None
    }
    if stripping := header.stripping:
        config["added_tokens_decoder"] = {
            token_id: {"content": header.tokens[token_id], "rstrip": True} for token_id in sorted(stripping)
        }
    start = "tokenizer.chat_template"
    templates = [
        {"name": key.removeprefix(start).lstrip(".") or "default", "template": template}
        for key, template in header.header.items()
        if (key == start or key.startswith(start + ".")) and isinstance(template, str)
    ]
    return json.dumps(config | ({"chat_template": templates} if templates else {})).encode(errors="replace")
