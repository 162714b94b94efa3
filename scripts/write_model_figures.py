"""Write assets/model_figures.json: context windows and prices of the models in `catalog/models.py`.

Run `python -m scripts.write_model_figures` after changing the table or a version here. The figures come from
two packages of PyPI, which `pip` fetches into a temporary folder. A context window is the larger of the two
statements, because one package states only the longest input of some models and the other rounds. A price is
written if the packages agree or only one states it; the script prints the prices on which they disagree.
"""

import datetime
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from playground.catalog.models import MODELS
from playground.core.assets import ASSETS

LITELLM, GENAI_PRICES = "litellm==1.110.2", "genai-prices==0.2.3"
#: A maker's name in genai-prices, and what LiteLLM writes before the ids of its own API.
MAKERS = {
    "OpenAI": ("openai", ""),
    "Anthropic": ("anthropic", ""),
    "Google": ("google", "gemini/"),
    "Meta": ("meta", "meta_llama/"),
    "Mistral": ("mistral", "mistral/"),
    "Qwen": ("", "dashscope/"),
    "DeepSeek": ("deepseek", "deepseek/"),
    "Moonshot AI": ("moonshotai", "moonshot/"),
    "Z.ai": ("zai", "zai/"),
    "xAI": ("x-ai", "xai/"),
    "Cohere": ("cohere", ""),
    "MiniMax": ("minimax", "minimax/"),
    "AI21": ("", ""),
}
#: Open models that their makers do not sell: LiteLLM's entry with the context window that the maker states.
CONTEXT_WINDOWS = {
    "gpt-oss-120b": "groq/openai/gpt-oss-120b",
    "gpt-oss-20b": "groq/openai/gpt-oss-20b",
    "gemini-3-pro-preview": "vertex_ai/gemini-3-pro-preview",
    "gemma-4": "gemini/gemma-4-31b-it",
    "gemma-3": "gemini/gemma-3-27b-it",
    "gemma-2": "gemini/gemini-gemma-2-27b-it",
    "llama-4-maverick": "meta_llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
    "llama-4-scout": "meta_llama/Llama-4-Scout-17B-16E-Instruct-FP8",
    "llama-3.3-70b": "meta_llama/Llama-3.3-70B-Instruct",
    "llama-3.2": "deepinfra/meta-llama/Llama-3.2-3B-Instruct",
    "llama-3.1": "deepinfra/meta-llama/Meta-Llama-3.1-70B-Instruct",
    "llama-3": "replicate/meta/llama-3-70b-instruct",
    "llama-2": "replicate/meta/llama-2-70b-chat",
    "mistral-small-3": "deepinfra/mistralai/Mistral-Small-24B-Instruct-2501",
    "mixtral-8x22b": "ollama/mixtral-8x22B-Instruct-v0.1",
    "mixtral-8x7b": "ollama/mixtral-8x7B-Instruct-v0.1",
    "mistral-7b": "ollama/mistral-7B-Instruct-v0.2",
    "qwen3.5": "together_ai/Qwen/Qwen3.5-9B",
    "qwen3-8b": "deepinfra/Qwen/Qwen3-32B",
    "qwen3-coder": "together_ai/Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8",
    "qwen3-next": "together_ai/Qwen/Qwen3-Next-80B-A3B-Instruct",
    "qwq-32b": "deepinfra/Qwen/QwQ-32B",
    "qwen2.5": "hyperbolic/Qwen/Qwen2.5-72B-Instruct",
    "qwen2.5-coder": "hyperbolic/Qwen/Qwen2.5-Coder-32B-Instruct",
    "phi-4": "deepinfra/microsoft/phi-4",
    "phi-4-mini": "azure_ai/Phi-4-mini-instruct",
    "bge-base-en-v1.5": "together_ai/BAAI/bge-base-en-v1.5",
}  # fmt: skip
#: Prints what genai-prices states of each model today as JSON: "provider/model" to window and prices. A price
#: that is lower at some hours of the day is the higher one.
_READ_GENAI_PRICES = """
import json
from datetime import datetime, timezone
from genai_prices.data import providers
def base(price):
    return float(getattr(price, "base", price) or 0)
now, found = datetime.now(timezone.utc), {}
for provider in providers:
    for model in provider.models:
        hours = [model.get_prices(now.replace(hour=hour)) for hour in range(24)]
        found[f"{provider.id}/{model.id}".lower()] = [
            model.context_window,
            max(base(prices.input_mtok) for prices in hours),
            max(base(prices.output_mtok) for prices in hours),
            max(base(prices.cache_read_mtok) for prices in hours),
            max(base(prices.cache_write_mtok) for prices in hours),
        ]
print(json.dumps(found))
"""

#: The prices of a model, by the names of LiteLLM and of the file.
PRICES = {
    "input_cost_per_token": "input_price",
    "output_cost_per_token": "output_price",
    "cache_read_input_token_cost": "cache_read_price",
    "cache_creation_input_token_cost": "cache_write_price",
}
#: Context window, then the prices in that order; None for what is not stated.
Figures = tuple[Any, ...]
_NOTHING: Figures = (None,) * (1 + len(PRICES))


def main() -> None:
    """Fetch the packages, join their statements and write the file."""
    with tempfile.TemporaryDirectory() as folder:
        litellm, genai = _read_litellm(Path(folder)), _read_genai_prices(Path(folder))
    found: dict[str, dict[str, float | int]] = {}
    for model in MODELS:
        provider, before = MAKERS.get(model.maker, ("", ""))
        one = _first(genai, [f"{provider}/{name}{end}" for name in model.ids for end in ("", "-latest")])
        other = _first(litellm, [f"{prefix}{name}" for name in model.ids for prefix in (before, "")])
        windows = [one[0], other[0], litellm.get(CONTEXT_WINDOWS.get(model.ids[0], "").lower(), _NOTHING)[0]]
        figures = {
            "context_tokens": max(filter(None, windows), default=None),
            **{
                name: _agreed(model.name, name, one[place], other[place])
                for place, name in enumerate(PRICES.values(), 1)
            },
        }
        stated = {name: figure for name, figure in figures.items() if figure is not None}
        if stated:
            found[model.ids[0]] = stated
    document = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "sources": [package.replace("==", " ") for package in (LITELLM, GENAI_PRICES)],
        "models": found,
    }
    (ASSETS / "model_figures.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} of {len(MODELS)} models have figures")


def _first(figures: dict[str, Figures], names: list[str]) -> Figures:
    return next((figures[name.lower()] for name in names if name.lower() in figures), _NOTHING)


def _agreed(model: str, kind: str, one: float | None, other: float | None) -> float | None:
    """Return the price that both packages state or only one; None if they disagree."""
    one, other = one or None, other or None  # a price of 0 is a trial, or an output that does not exist
    if one is not None and other is not None and abs(one - other) > 1e-9:
        print(f"{model}: {kind} {one} in genai-prices, {other} in LiteLLM")
        return None
    return other if one is None else one


def _read_litellm(folder: Path) -> dict[str, Figures]:
    _pip("download", "--no-deps", "--dest", str(folder), LITELLM)
    (wheel,) = folder.glob("litellm-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        raw = archive.read("litellm/model_prices_and_context_window_backup.json")
    entries: dict[str, dict[str, Any]] = json.loads(raw)
    return {name.lower(): _litellm_figures(entry) for name, entry in entries.items()}


def _litellm_figures(entry: dict[str, Any]) -> Figures:
    prices = [entry.get(name) for name in PRICES]
    per_million = [None if price is None else round(price * 1e6, 6) for price in prices]
    window = entry.get("max_input_tokens")
    return int(window) if isinstance(window, int | float) else None, *per_million


def _read_genai_prices(folder: Path) -> dict[str, Figures]:
    target = folder / "genai_prices"
    _pip("install", "--target", str(target), GENAI_PRICES)
    command = [sys.executable, "-c", _READ_GENAI_PRICES]
    answer = subprocess.run(command, env={"PYTHONPATH": str(target)}, check=True, capture_output=True)
    read: dict[str, list[Any]] = json.loads(answer.stdout)
    return {name: tuple(figures) for name, figures in read.items()}


def _pip(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *arguments], check=True)


if __name__ == "__main__":
    main()
