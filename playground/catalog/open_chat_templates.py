"""Chat templates that open models publish, as they ship with the app: a table, and the reading of one.

`scripts/write_chat_templates.py` makes the files again, and holds them against a second implementation.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from playground.core.assets import read_text
from playground.files.tokenizer_config import DEFAULT, TokenizerConfig


class OpenChatTemplate(NamedTuple):
    """Whose tokens a model's template is cut into, its file, and what special tokens are called in it."""

    tokenizer_name: str
    file_name: str
    names: Mapping[str, str]


#: By model.
OPEN_CHAT_TEMPLATES = {
    "Qwen3": OpenChatTemplate("qwen3", "qwen3", {"eos_token": "<|im_end|>"}),
    "DeepSeek-V3": OpenChatTemplate(
        "deepseek_v3", "deepseek_v3",
        {"bos_token": "<｜begin▁of▁sentence｜>", "eos_token": "<｜end▁of▁sentence｜>"},
    ),
    "GLM-4.5": OpenChatTemplate("glm4", "glm4_5", {"eos_token": "<|endoftext|>"}),
}  # fmt: skip


@cache
def open_model_config(model: str) -> TokenizerConfig:
    """The chat template of an open model. Raises AssetError.

    >>> open_model_config("DeepSeek-V3").names["bos_token"]
    '<｜begin▁of▁sentence｜>'
    """
    made = OPEN_CHAT_TEMPLATES[model]
    return TokenizerConfig({DEFAULT: read_text(f"chat_templates/{made.file_name}.jinja")}, made.names, ())
