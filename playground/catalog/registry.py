"""The table of named tokenizers; names of models resolve to encodings.

OpenAI's models come from tiktoken's own table, open models from the table here.
"""

import re
import threading
from collections.abc import Callable
from functools import partial

from tiktoken.model import MODEL_TO_ENCODING, encoding_name_for_model

from playground.catalog.baselines import ByteTokenizer, CharacterTokenizer
from playground.catalog.open_models import OPEN_MODELS, load_open_model
from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.shipped_vocabularies import About
from playground.core.errors import NotShippedError, UnknownTokenizerError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import quoted

#: Expressions that match a whole model name in lower case with hyphens; the first match counts. Later models
#: of a family with another vocabulary or other special tokens are excluded.
_ENCODINGS = (
    (r"qwen-?(2-5|2|3)(?!-[5-9](-|$))(-.*)?|q[wv]q(-.*)?", "qwen3"),
    (r"deepseek-(v3|r1)(?!.*distill)(-.*)?", "deepseek_v3"),
    (
        r"((open-)?mistral-nemo|pixtral-12b|ministral-[38]b|mistral-small-(3(-[12])?|24b))(-.*)?",
        "mistral_tekken",
    ),
    (r"(mistral-7b|mixtral-8x7b)(-instruct)?(-v0-[12])?", "mistral_v1"),
    (r"mistral-7b(-instruct)?-v0-3|mixtral-8x22b(-instruct)?(-v0-1)?", "mistral_v3"),
    (r"(google-)?bert-(base|large)-uncased|bge-(small|base|large)-en(-v1-5)?", "bert_uncased"),
    (r"(chat)?glm-?4(-(5|6|9b|32b))?(-(air|chat|base|plus|hf|0414|fp8|[0-9]+m))*", "glm4"),
    (r"kimi-k2(-(base|instruct|thinking|turbo|preview|0711|0905))*", "kimi_k2"),
    (r"phi-?4(-14b)?(-reasoning(-plus)?)?", "phi4"),
    (r"olmo-?2(-.*)?", "olmo2"),
    (r"gpt-oss(-(20|120)b)?(-.*)?", "o200k_harmony"),
    (r"(openai-)?whisper(-(1|tiny|base|small|medium|large|large-v[12]))?", "whisper"),
)  # fmt: skip
_OPEN_YOURS = "open the tokenizer.json that lies beside the model's weights: drop it on any page"
_NO_SECOND_SOURCE = f"No second source confirms {{}}'s vocabulary, so it does not ship; {_OPEN_YOURS}"
#: Families whose vocabulary may not be redistributed or is not confirmed by a second source, and which file
#: to open instead.
_NOT_SHIPPED = (
    (
        r"(meta-?)?(code-?)?llama.*|vicuna.*|tinyllama.*",
        f"Llama's terms do not let this app pass its vocabulary on; {_OPEN_YOURS}",
    ),
    (r"gemma-?4(-.*)?", _NO_SECOND_SOURCE.format("Gemma 4")),
    (r"modernbert.*", _NO_SECOND_SOURCE.format("ModernBERT")),
    (r"(code)?gemma.*|paligemma.*", f"Gemma's vocabulary does not ship with this app; {_OPEN_YOURS}"),
    (r"claude.*", "Anthropic publishes no tokenizer for Claude 3 or later, so its tokens cannot be shown"),
    (
        r"gemini.*",
        "Google's SDK counts Gemini's tokens with Gemma's tokenizers (Gemini 2.0 to 3 with Gemma 3's, later "
        "models with Gemma 4's). They do not ship with this app; open the Gemma model's tokenizer.json: "
        "drop it on any page",
    ),
)  # fmt: skip


def encoding_of_model(name: str) -> str | None:
    """Return the encoding of an open model; None for an unknown name.

    Raises: NotShippedError, whose message says which file to open.

    >>> [encoding_of_model(name) for name in ("Qwen2.5-Coder-7B", "deepseek-r1", "mistral nemo", "phi-4")]
    ['qwen3', 'deepseek_v3', 'mistral_tekken', 'phi4']
    """
    plain = re.sub(r"[^a-z0-9]+", "-", name[-100:].rsplit("/", 1)[-1].lower()).strip("-")
    for pattern, encoding in _ENCODINGS:
        if re.fullmatch(pattern, plain):
            return encoding
    for pattern, sentence in _NOT_SHIPPED:
        if re.fullmatch(pattern, plain):
            raise NotShippedError(sentence)
    return None


def _load_bert() -> Tokenizer:
    from playground.catalog.wordpiece import (
        load_bert,
    )  # imported here because it imports the readers of files

    return load_bert("bert_uncased")


def _load_mistral(name: str) -> Tokenizer:
    from playground.catalog.sentencepiece_file import load_sentencepiece  # imported here for the same reason

    return load_sentencepiece(name)


def _load_python_docs() -> Tokenizer:
    from playground.catalog.trained import load_python_docs  # imported here for the same reason

    return load_python_docs()


#: Map each encoding name to the function that loads it.
TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    **{name: partial(load_openai, name) for name in encoding_names()},
    **{name: partial(load_open_model, name) for name in OPEN_MODELS},
    "mistral_v1": partial(_load_mistral, "mistral_v1"),
    "mistral_v3": partial(_load_mistral, "mistral_v3"),
    "bert_uncased": _load_bert,
    "python_docs_4k": _load_python_docs,
    "utf8_bytes": ByteTokenizer,
    "characters": CharacterTokenizer,
}

#: What a picker and the HTTP API say of a tokenizer beside its name, without loading it.
ABOUT: dict[str, About] = {
    "gpt2": About("GPT-2", "byte-level BPE", 50_257, "modified MIT"),
    "r50k_base": About("GPT-3", "byte-level BPE", 50_257, "MIT"),
    "p50k_base": About("Codex, text-davinci-003", "byte-level BPE", 50_281, "MIT"),
    "p50k_edit": About("text-davinci-edit-001", "byte-level BPE", 50_284, "MIT"),
    "cl100k_base": About("GPT-3.5, GPT-4, embeddings", "byte-level BPE", 100_277, "MIT"),
    "o200k_base": About("GPT-4o to GPT-5", "byte-level BPE", 200_019, "MIT"),
    "o200k_harmony": About("gpt-oss", "byte-level BPE", 201_088, "MIT"),
    **{name: made.about for name, made in OPEN_MODELS.items()},
    "mistral_v1": About("Mistral 7B v0.1, Mixtral 8x7B", "SentencePiece BPE", 32_000, "Apache-2.0"),
    "mistral_v3": About("Mistral 7B v0.3, Mixtral 8x22B", "SentencePiece BPE", 32_768, "Apache-2.0"),
    "bert_uncased": About("BERT base and large, uncased", "WordPiece", 30_522, "Apache-2.0"),
    "python_docs_4k": About("Trained on Python's documentation", "byte-level BPE", 4_096, "PSF"),
    "utf8_bytes": About("", "a token a byte", 256, ""),
    "characters": About("", "a token a character", 0x110000, ""),
}

#: Map model names to encoding names: tiktoken's own table.
MODELS: dict[str, str] = dict(MODEL_TO_ENCODING)

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


def encoding_name(name: str) -> str:
    """Return the encoding name of an encoding or model name in any case.

    Raises UnknownTokenizerError, or NotShippedError for a model whose vocabulary does not ship.

    >>> encoding_name("gpt-3.5-turbo"), encoding_name("r50k_base"), encoding_name("GPT-4o")
    ('cl100k_base', 'r50k_base', 'o200k_base')
    """
    plain = name.lower()  # all names of both tables are lower case
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
