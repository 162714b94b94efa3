"""The table of named tokenizers; models are names for encodings."""

import threading
from collections.abc import Callable
from functools import partial

from tiktoken.model import MODEL_TO_ENCODING, encoding_name_for_model

from playground.catalog.about import About
from playground.catalog.baselines import ByteTokenizer, CharacterTokenizer
from playground.catalog.model_names import encoding_of_model
from playground.catalog.open_models import OPEN_MODELS, load_open_model
from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.sentencepiece_bpe import SENTENCEPIECE_MODELS, load_sentencepiece
from playground.core.errors import UnknownTokenizerError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import quoted


def _load_bert() -> Tokenizer:
    from playground.catalog.wordpiece import load_bert  # only here: it brings the readers of files

    return load_bert("bert_uncased")


def _load_python_docs() -> Tokenizer:
    from playground.catalog.bundled import load_python_docs  # only here, as BERT

    return load_python_docs()


#: Encoding name to the function that builds it.
TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    **{name: partial(load_openai, name) for name in encoding_names()},
    **{name: partial(load_open_model, name) for name in OPEN_MODELS},
    **{name: partial(load_sentencepiece, name) for name in SENTENCEPIECE_MODELS},
    "bert_uncased": _load_bert,
    "python_docs_4k": _load_python_docs,
    "utf8_bytes": ByteTokenizer,
    "characters": CharacterTokenizer,
}

#: What a picker and the HTTP API say of a tokenizer beside its name; nothing is loaded for it.
ABOUT: dict[str, About] = {
    "gpt2": About("GPT-2", "byte-level BPE", 50_257, "modified MIT"),
    "r50k_base": About("GPT-3", "byte-level BPE", 50_257, "MIT"),
    "p50k_base": About("Codex, text-davinci-003", "byte-level BPE", 50_281, "MIT"),
    "p50k_edit": About("text-davinci-edit-001", "byte-level BPE", 50_284, "MIT"),
    "cl100k_base": About("GPT-3.5, GPT-4, embeddings", "byte-level BPE", 100_277, "MIT"),
    "o200k_base": About("GPT-4o to GPT-5", "byte-level BPE", 200_019, "MIT"),
    "o200k_harmony": About("gpt-oss", "byte-level BPE", 201_088, "MIT"),
    **{name: made.about for name, made in OPEN_MODELS.items()},
    **{name: about for name, (about, _hash) in SENTENCEPIECE_MODELS.items()},
    "bert_uncased": About("BERT base and large, uncased", "WordPiece", 30_522, "Apache-2.0"),
    "python_docs_4k": About("Trained on Python's documentation", "byte-level BPE", 4_096, "PSF"),
    "utf8_bytes": About("", "a token a byte", 256, ""),
    "characters": About("", "a token a character", 0x110000, ""),
}

#: Model name to encoding name: tiktoken's own table.
MODELS: dict[str, str] = dict(MODEL_TO_ENCODING)

_loaded: dict[str, Tokenizer] = {}
_locks = {name: threading.Lock() for name in TOKENIZERS}


def get_tokenizer(name: str) -> Tokenizer:
    """Load a tokenizer by encoding or model name, once for the process. Raises UnknownTokenizerError.

    >>> get_tokenizer("gpt-4o").name
    'o200k_base'
    """
    name = encoding_name(name)
    if name not in _loaded:
        with _locks[name]:  # of two threads that ask together, one loads
            if name not in _loaded:
                _loaded[name] = TOKENIZERS[name]()
    return _loaded[name]


def is_shipped(tokenizer: Tokenizer) -> bool:
    """Whether this is a tokenizer of the table as it is, and nothing that a visitor brought or changed.

    >>> is_shipped(get_tokenizer("gpt2"))
    True
    """
    return _loaded.get(tokenizer.name) is tokenizer


def encoding_name(name: str) -> str:
    """Resolve an encoding or model name, in capitals or not, to an encoding name.

    Raises UnknownTokenizerError, and NotShippedError for a model whose vocabulary may not be passed on.

    >>> encoding_name("gpt-3.5-turbo"), encoding_name("r50k_base"), encoding_name("GPT-4o")
    ('cl100k_base', 'r50k_base', 'o200k_base')
    """
    plain = name.lower()  # as all of the table and of tiktoken's are written
    if plain in TOKENIZERS:
        return plain
    open_encoding = encoding_of_model(name)
    if open_encoding is not None:
        return open_encoding
    try:
        return encoding_name_for_model(plain)
    except KeyError:
        known = ", ".join(TOKENIZERS)
        raise UnknownTokenizerError(
            f"unknown tokenizer {quoted(name, n_shown=60)}; choose from {known}, or a model such as gpt-4o "
            "or Qwen3-8B"
        ) from None


def is_known(name: str) -> bool:
    """Whether an encoding or model has this name.

    >>> is_known("gpt-4o-2024-05-13"), is_known("gpt-next")
    (True, False)
    """
    try:
        encoding_name(name)
    except UnknownTokenizerError:
        return False
    return True
