"""The table of named tokenizers; the name of a model resolves to its tokenizer.

Models come from the table in `catalog/models.py`, and other names of OpenAI's from tiktoken's own table.
"""

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tiktoken.model import encoding_name_for_model

from playground.catalog.baselines import ByteTokenizer, CharacterTokenizer
from playground.catalog.claude import GENERATIONS, load_claude
from playground.catalog.open_models import OPEN_MODELS, load_open_model
from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.shipped_vocabularies import About
from playground.core.errors import NotShippedError, UnknownTokenizerError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import quoted

if TYPE_CHECKING:  # imported late below: the table's own names need no models
    from playground.catalog.models import Model


def _load_bert() -> Tokenizer:
    from playground.catalog.wordpiece import (
        load_bert,
    )  # imported here because it imports the readers of files

    return load_bert("bert_uncased")


def _load_sentencepiece(name: str) -> Tokenizer:
    from playground.catalog.sentencepiece_file import load_sentencepiece  # imported here for the same reason

    return load_sentencepiece(name)


def _load_python_docs() -> Tokenizer:
    from playground.catalog.trained import load_python_docs  # imported here for the same reason

    return load_python_docs()


#: Map each encoding name to the function that loads it.
TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    **{name: partial(load_openai, name) for name in encoding_names()},
    **{name: partial(load_open_model, name) for name in OPEN_MODELS},
    **{name: partial(load_claude, name) for name in GENERATIONS},
    **{name: partial(_load_sentencepiece, name) for name in ("gemma_4", "mistral_v1", "mistral_v3")},
    "bert_uncased": _load_bert,
    "python_docs_4k": _load_python_docs,
    "utf8_bytes": ByteTokenizer,
    "characters": CharacterTokenizer,
}

#: Facts about a tokenizer for the picker and the HTTP API, known without loading it.
ABOUT: dict[str, About] = {
    "gpt2": About("GPT-2", "byte-level BPE", 50_257, "modified MIT"),
    "r50k_base": About("GPT-3", "byte-level BPE", 50_257, "MIT"),
    "p50k_base": About("Codex, text-davinci-003", "byte-level BPE", 50_281, "MIT"),
    "p50k_edit": About("text-davinci-edit-001", "byte-level BPE", 50_284, "MIT"),
    "cl100k_base": About("GPT-3.5, GPT-4, embeddings", "byte-level BPE", 100_277, "MIT"),
    "o200k_base": About("GPT-4o to GPT-5", "byte-level BPE", 200_019, "MIT"),
    "o200k_harmony": About("gpt-oss", "byte-level BPE", 201_088, "MIT"),
    **{name: made.about for name, made in OPEN_MODELS.items()},
    **{name: generation.about for name, generation in GENERATIONS.items()},
    "gemma_4": About("Gemma 4, Gemini 3.1 and 3.5", "SentencePiece BPE", 262_144, "Apache-2.0"),
    "mistral_v1": About("Mistral 7B v0.1, Mixtral 8x7B", "SentencePiece BPE", 32_000, "Apache-2.0"),
    "mistral_v3": About("Mistral 7B v0.3, Mixtral 8x22B", "SentencePiece BPE", 32_768, "Apache-2.0"),
    "bert_uncased": About("BERT base and large, uncased", "WordPiece", 30_522, "Apache-2.0"),
    "python_docs_4k": About("Trained on Python's documentation", "byte-level BPE", 4_096, "PSF"),
    "utf8_bytes": About("", "a token a byte", 256, ""),
    "characters": About("", "a token a character", 0x110000, ""),
}

_loaded: dict[str, Tokenizer] = {}
_locks = {name: threading.Lock() for name in TOKENIZERS}


def get_tokenizer(name: str) -> Tokenizer:
    """Load a tokenizer by encoding or model name, once per process. Raises UnknownTokenizerError.

    >>> get_tokenizer("gpt-4o").name
    'o200k_base'
    """
    name = encoding_name(name)
    if name not in _loaded:
        with _locks[name]:  # only one of several threads loads
            if name not in _loaded:
                _loaded[name] = TOKENIZERS[name]()
    return _loaded[name]


def is_shipped(tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer is the registry's own, neither opened nor changed by a visitor.

    >>> is_shipped(get_tokenizer("gpt2"))
    True
    """
    return _loaded.get(tokenizer.name) is tokenizer


def model_meant(name: str, tokenizer: Tokenizer) -> "Model | None":
    """Return the model whose name loaded a tokenizer; None if that was a file or the tokenizer's own name.

    >>> model_meant("gpt4o", get_tokenizer("gpt4o")).name, model_meant("gpt2", get_tokenizer("gpt2"))
    ('GPT-4o', None)
    """
    if name == tokenizer.name or not is_shipped(tokenizer):
        return None
    from playground.catalog.models import find_model

    return find_model(name)


def encoding_name(name: str) -> str:
    """Return the name of the tokenizer that a tokenizer's or a model's name in any case means.

    Raises UnknownTokenizerError, which names the nearest, or NotShippedError for a model whose vocabulary
    does not ship, which says what to open.

    >>> encoding_name("gpt-3.5-turbo"), encoding_name("r50k_base"), encoding_name("GPT5")
    ('cl100k_base', 'r50k_base', 'o200k_base')
    """
    plain = name.lower()  # all names of the table are lower case
    if plain in TOKENIZERS:
        return plain
    from playground.catalog.models import find_model

    model = find_model(name)
    if model is not None:
        if model.tokenizer is None:
            raise NotShippedError(f"{model.name} has no tokenizer here. {model.note}".removesuffix("."))
        return model.tokenizer
    try:
        return encoding_name_for_model(plain)
    except KeyError:
        raise UnknownTokenizerError(
            f"no tokenizer or model is called {quoted(name, n_shown=60)}; {_nearest_names(plain)}"
        ) from None


def _nearest_names(plain: str) -> str:
    from difflib import get_close_matches

    from playground.catalog.models import find_models

    models = [model.ids[0] for model in find_models(plain) if plain and model.tokenizer]
    near = [*get_close_matches(plain[:60], TOKENIZERS, n=1), *models][:2]
    if near:
        return f"did you mean {' or '.join(near)}?"
    return "type a model such as gpt-5 or qwen3-8b, or a tokenizer such as o200k_base"


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
