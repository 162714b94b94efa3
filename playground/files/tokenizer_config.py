"""Files beside a Hugging Face tokenizer: `tokenizer_config.json`, chat templates, special tokens.

Newer models keep the template in `chat_template.jinja`, older ones the tokens in `special_tokens_map.json`
and `added_tokens.json`. `catalog.opened` adds the tokens to a tokenizer.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from playground.core.errors import VocabularyFileError
from playground.files.checks import (
    check_count,
    check_id,
    check_special_token,
    read_json,
    read_number,
    read_text,
    shown,
)
from playground.files.limits import MAX_SPECIAL_CHARS, MAX_SPECIAL_TOKENS

#: Bytes of all these files. The largest known, Gemma 3's tokenizer_config.json, has 1,157,008.
MAX_CONFIG_BYTES = 8 * 2**20
#: Characters of all templates; the longest known has 19,000. Templates of one model: Cohere's has three.
MAX_TEMPLATE_CHARS, MAX_TEMPLATES = 200_000, 20
#: The default template, and the one for chats with tools.
DEFAULT, WITH_TOOLS = "default", "tool_use"

CONFIG = "tokenizer_config.json"
_MAP, _ADDED, _TEMPLATE_ENDING = "special_tokens_map.json", "added_tokens.json", ".jinja"
_FLAGS = ("lstrip", "rstrip", "single_word", "normalized", "special")


class AddedToken(NamedTuple):
    """A token that is found in a text before all others, with its options in Hugging Face's library."""

    content: str
    id: int
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False
    special: bool = True

    @property
    def is_plain(self) -> bool:
        """Whether it is found wherever a text spells it and takes no text beside it."""
        return not (self.lstrip or self.rstrip or self.single_word)


@dataclass(frozen=True, slots=True)
class TokenizerConfig:
    """Chat templates by name, special tokens by role, and all added tokens.

    `names` is a mapping such as `{"bos_token": "<s>"}`.
    """

    templates: Mapping[str, str]
    names: Mapping[str, str]
    added: tuple[AddedToken, ...]

    @property
    def n_bytes_held(self) -> int:
        """The approximate number of bytes of memory it takes."""
        return 4 * sum(map(len, self.templates.values())) + 300 * len(self.added)


def is_beside(file_name: str) -> bool:
    """Whether a file belongs beside a tokenizer's own file.

    >>> is_beside("tokenizer_config.json"), is_beside("chat_template.jinja"), is_beside("tokenizer.json")
    (True, True, False)
    """
    return _plain_name(file_name).endswith((CONFIG, _MAP, _ADDED, _TEMPLATE_ENDING))


def read_config(files: Mapping[str, bytes]) -> TokenizerConfig:
    r"""Read the files beside a tokenizer. Raises VocabularyFileError.

    >>> read_config({CONFIG: b'{"eos_token": {"content": "</s>"}, "chat_template": "Hi"}'})
    TokenizerConfig(templates={'default': 'Hi'}, names={'eos_token': '</s>'}, added=())
    """
    check_count(sum(map(len, files.values())), "bytes", MAX_CONFIG_BYTES, " with ".join(files))
    texts = {name: read_text(raw, name) for name, raw in files.items()}
    templates: dict[str, str] = {}
    names: dict[str, str] = {}
    added: dict[int, AddedToken] = {}
    for name, text in texts.items():
        plain = _plain_name(name)
        if plain.endswith(_TEMPLATE_ENDING):
            continue
        document = read_json(text, name)
        if plain.endswith(_ADDED):
            for content, token_id in document.items():
                _add(added, _added_token({"content": content}, token_id, f"{name}, {shown(content)}"), name)
            continue
        names = (
            {**names, **_names(document, name)}
            if plain.endswith(CONFIG)
            else {**_names(document, name), **names}
        )
        if plain.endswith(CONFIG):
            templates = _templates(document.get("chat_template"), name)
            for number, entry in _object(document.get("added_tokens_decoder"), name).items():
                place = f"{name}, added token {shown(number)}"
                _add(added, _added_token(entry, read_number(number, place), place), name)
    own = {name: text for name, text in texts.items() if _plain_name(name).endswith(_TEMPLATE_ENDING)}
    if own:  # files override the config
        templates = {_template_name(name, len(own)): text for name, text in own.items()}
    check_count(len(templates), "chat templates", MAX_TEMPLATES, " with ".join(files))
    check_count(sum(map(len, templates.values())), "characters of chat templates", MAX_TEMPLATE_CHARS,
                " with ".join(files))  # fmt: skip
    check_count(len(added), "added tokens", MAX_SPECIAL_TOKENS, " with ".join(files))
    return TokenizerConfig(templates, names, tuple(sorted(added.values(), key=lambda token: token.id)))


def write_config(config: TokenizerConfig) -> bytes:
    """Return a `tokenizer_config.json` that `read_config` reads as the same config.

    >>> config = TokenizerConfig({"default": "Hi"}, {"bos_token": "<s>"}, (AddedToken("<s>", 1),))
    >>> read_config({CONFIG: write_config(config)}) == config
    True
    """
    decoder = {token.id: {"content": token.content, **{flag: getattr(token, flag) for flag in _FLAGS}}
               for token in config.added}  # fmt: skip
    templates = [{"name": name, "template": template} for name, template in config.templates.items()]
    document = {"chat_template": templates, "added_tokens_decoder": decoder}
    return json.dumps({**config.names, **document}).encode()


def _plain_name(file_name: str) -> str:
    """Return a file's name in lower case, without the number a browser adds to a duplicate name."""
    return re.sub(r" ?\(\d+\)(?=\.[a-z]+$)", "", file_name.lower())


def _template_name(file_name: str, n_files: int) -> str:
    """Name a template by its file; `chat_template.jinja` and a single file are the default."""
    stem = file_name.removesuffix(_TEMPLATE_ENDING)
    is_default = n_files == 1 or _plain_name(file_name).endswith("chat_template.jinja")
    return DEFAULT if is_default else stem


def _templates(value: object, name: str) -> dict[str, str]:
    """Return the templates of a config: one text, or a list of named ones."""
    if value is None:
        return {}
    if isinstance(value, str):
        return {DEFAULT: value}
    found: dict[str, str] = {}
    for number, entry in enumerate(value if isinstance(value, list) else [value], start=1):
        match entry:
            case {"name": str(title), "template": str(template)}:
                found[title] = template
            case _:
                raise VocabularyFileError(
                    f"{name}, chat_template, item {number}: {shown(entry)} is no template; one is a "
                    'text, or an object with "name" and "template"'
                )
    return found


def _names(document: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return special tokens by role, such as bos_token, including roles that a model adds."""
    extra = document.get("extra_special_tokens")
    found: dict[str, str] = {}
    for key, value in {**document, **(extra if isinstance(extra, dict) else {})}.items():
        content = value.get("content") if isinstance(value, dict) else value
        if not key.endswith("_token") or content is None or isinstance(content, bool):
            continue
        if not isinstance(content, str) or len(content) > MAX_SPECIAL_CHARS:
            raise VocabularyFileError(
                f"{name}, {key}: {shown(value)} is no token; one is a short text, or null"
            )
        found[key] = content
    return found


def _object(value: object, name: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise VocabularyFileError(f"{name}, added_tokens_decoder must be an object, not {shown(value)}")
    return value


def _added_token(entry: object, token_id: object, place: str) -> AddedToken:
    if not isinstance(entry, dict) or not isinstance(entry.get("content"), str):
        raise VocabularyFileError(f"{place} must be an object with a content, not {shown(entry)}")
    check_special_token(entry["content"], place)
    flags = {flag: entry[flag] for flag in _FLAGS if flag in entry}
    for flag, value in flags.items():
        if not isinstance(value, bool):
            raise VocabularyFileError(f"{place}: {flag} is {shown(value)}; it is true or false")
    return AddedToken(entry["content"], check_id(token_id, place), **flags)


def _add(added: dict[int, AddedToken], token: AddedToken, name: str) -> None:
    other = added.setdefault(token.id, token)
    if other.content != token.content:
        raise VocabularyFileError(
            f"{name}: the added tokens {shown(other.content)} and {shown(token.content)} have one id, "
            f"{token.id}"
        )
