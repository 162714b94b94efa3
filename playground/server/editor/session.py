"""The session of the live editor: a text, a chat, ids, and the tokenizer that shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict, get_args

from playground.analysis.chat import (
    CHAT_TEMPLATES,
    ChatEncoding,
    ChatExtra,
    ChatTemplate,
    Message,
    encode_chat,
    tools_of,
)
from playground.analysis.chat_requests import (
    MAX_EXTRAS,
    MAX_LEFT_OUT,
    MAX_MESSAGES,
    MAX_TYPE_CHARS,
    ApiChat,
    read_api_chat,
)
from playground.analysis.chat_templates import (
    MAX_VARIABLES_CHARS,
    ChatOptions,
    JinjaTemplate,
    encode_jinja_chat,
    not_counted_in,
)
from playground.analysis.examples import TOKENIZE_EXAMPLES
from playground.analysis.live_document import MAX_TEXT_BYTES, LiveDocument
from playground.analysis.pasted_ids import decode_ids, parse_ids
from playground.analysis.shown_tokens import (
    ShownTokens,
    show_chat,
    show_document,
    show_ids,
    show_problem,
)
from playground.bpe.typed_patterns import MAX_CHARACTERS
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.recut import recut
from playground.core.errors import InvalidInputError, LimitExceededError, PlaygroundError, TextTooLongError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.server.sessions import PageSession
from playground.server.shapes import (
    Check,
    Optional,
    Shape,
    array,
    boolean,
    integer,
    one_of,
    string,
)


class Cutting(TypedDict):
    """A split pattern instead of the tokenizer's own (""), and the alternatives that are switched off."""

    own: str
    off: Sequence[int]


Mode = Literal["text", "chat", "ids"]
#: The text whose ids "Ids → text" shows first.
GREETING = "Hello world"
#: Values that a browser or a link may change.
CHANGES: dict[str, Check] = {
    "mode": one_of(*get_args(Mode)),
    "honours_special": boolean,
    "messages": array(
        Shape(
            {
                "role": string(),
                "content": string(),
                "fields": Optional(string(), ""),
                "left_out": Optional(array(string(max_chars=MAX_TYPE_CHARS), max_items=MAX_LEFT_OUT), []),
            }
        ).check,
        max_items=MAX_MESSAGES,
    ),
    "template_name": string(max_chars=200),
    "add_generation_prompt": boolean,
    "variables": string(max_chars=MAX_VARIABLES_CHARS),
    "ids_text": string(),
    "cutting": Shape(
        {
            "own": string(max_chars=MAX_CHARACTERS),
            "off": array(integer(0, MAX_CHARACTERS), max_items=MAX_CHARACTERS),
        }
    ).check,
    "extras": array(
        Shape({"label": string(max_chars=100), "text": string(), "is_tool": Optional(boolean, False)}).check,
        max_items=MAX_EXTRAS,
    ),
}


@dataclass(eq=False)
class EditorSession(PageSession):
    """The state of one editor, from which everything shown is computed."""

    base_tokenizer: Tokenizer
    document: LiveDocument = field(init=False)
    mode: Mode = "text"
    messages: tuple[Message, ...] = (Message("system", "You are a helpful assistant"), Message("user", ""))
    template_name: str = "gpt-4o"
    templates: Mapping[str, ChatTemplate | JinjaTemplate] = field(default_factory=lambda: CHAT_TEMPLATES)
    options: ChatOptions = field(default_factory=ChatOptions)
    extras: tuple[ChatExtra, ...] = ()  # tools and tool calls
    typed_ids: str | None = None
    earlier: str | None = None  # an earlier version of the text to compare with
    own_special: tuple[str, ...] = ()
    cutting: Cutting = field(default_factory=lambda: Cutting(own="", off=()))
    #: The chat that was rendered last, or its error, because rendering takes time.
    _chat: tuple[object, ChatEncoding | PlaygroundError] | None = None

    def __post_init__(self) -> None:
        self.document = LiveDocument(self.base_tokenizer, TOKENIZE_EXAMPLES[0].text)
        super().__post_init__()

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer with the visitor's own special tokens."""
        return self.document.tokenizer

    @property
    def ids_text(self) -> str:
        """The ids shown as text: those of a greeting until others are typed."""
        if self.typed_ids is not None:
            return self.typed_ids
        return ", ".join(map(str, self.tokenizer.encode(GREETING)))

    @property
    def tokenizers(self) -> tuple[Tokenizer, ...]:
        """The one tokenizer."""
        return (self.tokenizer,)

    @property
    def is_bounded(self) -> bool:
        """False for a chat in a visitor's own template, which may take seconds."""
        template = self.template
        is_brought = isinstance(template, JinjaTemplate) and template.opened is not None
        return super().is_bounded and not is_brought

    def use_tokenizer(
        self, tokenizer: Tokenizer, own_special: tuple[str, ...], *, is_typed: bool = False
    ) -> None:
        """Change the tokenizer or the visitor's special tokens; the text stays. Raises InvalidInputError.

        Another tokenizer uses its own split pattern again. Special tokens are encoded as such from the
        visitor's first own special token on, until that is switched off.
        """
        with self.lock:
            if tokenizer is self.base_tokenizer and own_special == self.own_special:
                return
            cutting = self.cutting if tokenizer is self.base_tokenizer else Cutting(own="", off=())
            is_first = is_typed and not self.own_special and bool(own_special)
            self._configure(tokenizer, own_special, cutting)
            self.revision += 1
            if is_first:
                self.change(honours_special=True)

    def _configure(self, tokenizer: Tokenizer, own_special: tuple[str, ...], cutting: Cutting) -> None:
        cut = recut(tokenizer, cutting["own"], cutting["off"])
        extended = with_own_special_tokens(cut, own_special)
        held = self.document.tokenizer
        try:
            self.document.configure(extended, honours_special=self.document.honours_special)
        except PlaygroundError:  # the pattern takes too long for this text
            self.document.configure(held, honours_special=self.document.honours_special)
            raise
        self.base_tokenizer, self.own_special, self.cutting = tokenizer, own_special, cutting

    def change(
        self,
        *,
        mode: Mode | None = None,
        honours_special: bool | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        template_name: str | None = None,
        add_generation_prompt: bool | None = None,
        variables: str | None = None,
        ids_text: str | None = None,
        extras: Sequence[Mapping[str, Any]] | None = None,
        cutting: Cutting | None = None,
    ) -> None:
        """Change the given values, checked by `CHANGES`; the others stay.

        Raises InvalidInputError for an invalid pattern; then the old one stays.
        """
        with self.lock:
            if mode is not None:
                self.mode = mode
            if messages is not None:
                self.messages = tuple(
                    Message(
                        replace_lone_surrogates(m["role"]),
                        replace_lone_surrogates(m["content"]),
                        replace_lone_surrogates(m["fields"]),
                        tuple(map(replace_lone_surrogates, m["left_out"])),
                    )
                    for m in messages
                )
            if template_name is not None:
                self.template_name = template_name
            if add_generation_prompt is not None:
                self.options = replace(self.options, add_generation_prompt=add_generation_prompt)
            if variables is not None:
                self.options = replace(self.options, variables=replace_lone_surrogates(variables))
            if extras is not None:
                self.extras = tuple(
                    ChatExtra(
                        replace_lone_surrogates(e["label"]), replace_lone_surrogates(e["text"]), e["is_tool"]
                    )
                    for e in extras
                )
            if ids_text is not None:
                self.typed_ids = replace_lone_surrogates(ids_text)
            if honours_special is not None and honours_special != self.document.honours_special:
                self.document.configure(self.document.tokenizer, honours_special=honours_special)
            if cutting is not None and cutting != self.cutting:
                self._configure(self.base_tokenizer, self.own_special, cutting)

    def offer_templates(self, templates: Mapping[str, ChatTemplate | JinjaTemplate]) -> None:
        """Add chat templates; a chat in a new or changed template is shown again."""
        with self.lock:
            found = {**CHAT_TEMPLATES, **templates}
            if found != self.templates:
                self.templates, self._chat = found, None
                self.revision += 1

    def choose_template(self, tokenizer_name: str) -> None:
        """Use the template of a tokenizer that has one."""
        with self.lock:
            own = self._templates_of(tokenizer_name)
            if own and self.template_name not in own:
                self.template_name = own[0]
                self.revision += 1

    def rename_template(self, titles: Mapping[str, str]) -> None:
        """Use a template's new title instead of the old one."""
        with self.lock:
            self.template_name = titles.get(self.template_name, self.template_name)

    def has_template(self, tokenizer_name: str) -> bool:
        """Whether a tokenizer has a template of its own."""
        return bool(self._templates_of(tokenizer_name))

    def _templates_of(self, tokenizer_name: str) -> list[str]:
        jinja = (each for each in self.templates.values() if isinstance(each, JinjaTemplate))
        return [each.name for each in jinja if each.tokenizer_name == tokenizer_name]

    def read_chat(self, pasted: str, number: int = 1) -> ApiChat:
        """Replace the chat by a pasted one, and return what was read.

        `number` chooses among several conversations. Raises InvalidInputError; then the old chat stays.
        """
        chat = read_api_chat(pasted, number=number)
        with self.lock:
            self.messages, self.extras = chat.messages, chat.extras
        return chat

    def not_counted(self, chat: ShownTokens) -> str:
        """Return one sentence on what the count of the shown chat leaves out; "" if nothing or no count."""
        if chat.problem or self.template is None:
            return ""
        return not_counted_in(self.messages, self.extras, self.template, chat.text)

    def compare_with(self, earlier: str | None) -> LiveDocument:
        """Set the earlier version of the text (None for none); return its tokens. Raises TextTooLongError."""
        with self.lock:
            honours_special = self.document.honours_special
            document = LiveDocument(self.tokenizer, earlier or "", honours_special=honours_special)
            self.earlier = earlier
            return document

    @property
    def template(self) -> ChatTemplate | JinjaTemplate | None:
        """The chat's template; None if it is missing, since its tokenizer may come back with the next run."""
        return self.templates.get(self.template_name)

    @property
    def shown_tokenizer(self) -> Tokenizer:
        """The tokenizer of the shown tokens; a chat's template has its own."""
        template = self.template
        return template.tokenizer if self.mode == "chat" and template else self.tokenizer

    def shown(self) -> ShownTokens:
        """Return the tokens in the current mode; `problem` says what cannot be tokenized."""
        with self.lock:
            if self.mode == "text":
                return show_document(self.document)
            try:
                if self.mode == "ids":
                    return show_ids(self.tokenizer, decode_ids(self.tokenizer, parse_ids(self.ids_text)))
                texts = [message.role + message.content for message in self.messages]
                n_bytes = sum(len(text.encode()) for text in texts + [extra.text for extra in self.extras])
                if n_bytes > MAX_TEXT_BYTES:
                    limit = f"this page takes up to {MAX_TEXT_BYTES:,}"
                    raise TextTooLongError(f"the chat has {n_bytes:,} bytes; {limit}")
                return show_chat(self._encoded_chat())
            except PlaygroundError as error:
                return show_problem(self.shown_tokenizer, str(error))

    def _encoded_chat(self) -> ChatEncoding:
        match self.template:
            case None:
                raise InvalidInputError(
                    f"the chat template of {self.template_name!r} is not here; open that tokenizer with its "
                    "tokenizer_config.json, or choose another template"
                )
            case ChatTemplate() as template:
                return encode_chat(self.messages, template)
            case template:
                key = (template, self.messages, self.extras, self.options)
                if self._chat is None or self._chat[0] != key:
                    self._chat = key, self._rendered_chat(template)
                found = self._chat[1]
                if isinstance(found, PlaygroundError):
                    raise found.with_traceback(None)
                return found

    def _rendered_chat(self, template: JinjaTemplate) -> ChatEncoding | PlaygroundError:
        """Return the chat in a template, or the error that the same chat would have again.

        Raises LimitExceededError if no worker process was available.
        """
        try:
            return encode_jinja_chat(self.messages, tools_of(self.extras), template, self.options)
        except LimitExceededError as error:
            if error.limit in ("waiting", "process"):
                raise
            return error
        except PlaygroundError as error:
            return error
