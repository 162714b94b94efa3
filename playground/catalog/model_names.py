"""Which encoding an open model uses, and which models' vocabularies may not be shipped.

OpenAI's models are in tiktoken's own table.
"""

import re

from playground.core.errors import NotShippedError

#: What a model's name, in lower case and with hyphens alone, must match as a whole; the first one counts.
#: Later models of a family that have another vocabulary or other special tokens are left out.
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
#: Families that nobody may pass on freely or that no second source confirms, and which file people have.
_NOT_SHIPPED = (
    (
        r"(meta-?)?(code-?)?llama.*|vicuna.*|tinyllama.*",
        f"Llama's terms do not let this app pass its vocabulary on; {_OPEN_YOURS}",
    ),
    (r"gemma-?4(-.*)?", _NO_SECOND_SOURCE.format("Gemma 4")),
    (r"modernbert.*", _NO_SECOND_SOURCE.format("ModernBERT")),
    (r"(code)?gemma.*|paligemma.*", f"Gemma's vocabulary does not ship with this app; {_OPEN_YOURS}"),
    (r"claude.*", "Anthropic publishes no vocabulary of Claude, so nobody can show its tokens"),
    (r"gemini.*", "Google publishes no vocabulary of Gemini, so nobody can show its tokens"),
)  # fmt: skip


def encoding_of_model(name: str) -> str | None:
    """The encoding of an open model; None for a name that is not known.

    Raises: NotShippedError, whose message says how to open the file that one has.

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
