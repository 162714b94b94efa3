"""The session of the live editor: a text, a chat, ids, and the tokenizer that shows them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict, get_args

from playground.analysis.chat import Media, Message, Tool
from playground.analysis.chat_counts import ChatCount, ChatModel, chat_model, count_chat
from playground.analysis.chat_requests import (
    MAX_KIND_CHARS,
    MAX_MEDIA,
    MAX_MESSAGES,
    MAX_TOOLS,
    ChatRequest,
    read_chat_request,
)
from playground.analysis.chat_templates import MAX_VARIABLES_CHARS, ChatOptions, JinjaTemplate
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
from playground.catalog.models import Model
from playground.catalog.recut import recut
from playground.core.errors import LimitExceededError, PlaygroundError, TextTooLongError
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
                "media": Optional(
                    array(
                        Shape(
                            {
                                "kind": string(max_chars=MAX_KIND_CHARS),
                                "width": Optional(integer(0, 10**6), 0),
                                "height": Optional(integer(0, 10**6), 0),
                                "detail": Optional(string(max_chars=MAX_KIND_CHARS), ""),
                            }
                        ).check,
                        max_items=MAX_MEDIA,
                    ),
                    [],
                ),
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
    "tools": array(Shape({"name": string(max_chars=100), "text": string()}).check, max_items=MAX_TOOLS),
    "elsewhere": array(string(max_chars=100), max_items=20),
}


@dataclass(eq=False)
class EditorSession(PageSession):
    """The state of one editor, from which everything shown is computed."""

    base_tokenizer: Tokenizer
    document: LiveDocument = field(init=False)
    mode: Mode = "text"
    messages: tuple[Message, ...] = (Message("system", "You are a helpful assistant"), Message("user", ""))
    #: The model that the tokenizer was chosen for, for which a chat is counted.
    model: Model | None = None
    #: The title of the chat template, if an opened tokenizer has several.
    template_name: str = ""
    options: ChatOptions = field(default_factory=ChatOptions)
    tools: tuple[Tool, ...] = ()
    #: What the service adds to the prompt, which the request only mentions.
    elsewhere: tuple[str, ...] = ()
    typed_ids: str | None = None
    own_special: tuple[str, ...] = ()
    cutting: Cutting = field(default_factory=lambda: Cutting(own="", off=()))
    #: The chat that was counted last, or its error, because rendering takes time.
    _chat: tuple[object, ChatCount | PlaygroundError] | None = None

    def __post_init__(self) -> None:
        self.document = LiveDocument(self.base_tokenizer, TOKENIZE_EXAMPLES[0].text)
        super().__post_init__()

    @property
    def version(self) -> int:
        """The version of the text with its tokenizer."""
        return self.document.version

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
        template = self.chat_model.template
        is_brought = isinstance(template, JinjaTemplate) and template.opened is not None
        return super().is_bounded and not is_brought

    def use_tokenizer(
        self,
        tokenizer: Tokenizer,
        own_special: tuple[str, ...],
        *,
        model: Model | None = None,
        is_typed: bool = False,
    ) -> None:
        """Change the tokenizer, the model that it was chosen for, or the visitor's special tokens.

        The text stays. Raises InvalidInputError.

        Another tokenizer uses its own split pattern again. Special tokens are encoded as such from the
        visitor's first own special token on, until that is switched off.
        """
        with self.lock:
            if model != self.model:
                self.model = model
                self.revision += 1
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
        tools: Sequence[Mapping[str, Any]] | None = None,
        elsewhere: Sequence[str] | None = None,
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
                        tuple(
                            Media(
                                replace_lone_surrogates(one["kind"]),
                                one["width"],
                                one["height"],
                                replace_lone_surrogates(one["detail"]),
                            )
                            for one in m["media"]
                        ),
                    )
                    for m in messages
                )
            if template_name is not None:
                self.template_name = template_name
            if add_generation_prompt is not None:
                self.options = replace(self.options, add_generation_prompt=add_generation_prompt)
            if variables is not None:
                self.options = replace(self.options, variables=replace_lone_surrogates(variables))
            if tools is not None:
                self.tools = tuple(
                    Tool(replace_lone_surrogates(tool["name"]), replace_lone_surrogates(tool["text"]))
                    for tool in tools
                )
            if elsewhere is not None:
                self.elsewhere = tuple(map(replace_lone_surrogates, elsewhere))
            if ids_text is not None:
                self.typed_ids = replace_lone_surrogates(ids_text)
            if honours_special is not None and honours_special != self.document.honours_special:
                self.document.configure(self.document.tokenizer, honours_special=honours_special)
            if cutting is not None and cutting != self.cutting:
                self._configure(self.base_tokenizer, self.own_special, cutting)

    def open(self, text: str, **changes: Any) -> None:
        """Take the browser's text and settings. Raises TextTooLongError and InvalidInputError."""
        text = replace_lone_surrogates(text)
        with self.lock:
            if text != self.document.text:
                self.document.replace(text)
                self.is_fresh = False
            self.change(**changes)

    def read_chat(self, pasted: str, number: int = 1) -> ChatRequest:
        """Replace the chat by a pasted one, and return what was read.

        `number` chooses among several conversations. Raises InvalidInputError; then the old chat stays.
        """
        request = read_chat_request(pasted, number=number)
        with self.lock:
            self.messages, self.tools, self.elsewhere = request.messages, request.tools, request.elsewhere
        return request

    def tokens_of(self, earlier: str) -> LiveDocument:
        """Return the tokens of an earlier version of the text. Raises TextTooLongError."""
        with self.lock:
            return LiveDocument(self.tokenizer, earlier, honours_special=self.document.honours_special)

    @property
    def chat_model(self) -> ChatModel:
        """How a chat is counted."""
        return chat_model(self.base_tokenizer, self.model, self.template_name)

    @property
    def shown_tokenizer(self) -> Tokenizer:
        """The tokenizer of the shown tokens; OpenAI's template adds special tokens of its own."""
        template = self.chat_model.template
        if self.mode != "chat":
            return self.tokenizer
        return template.tokenizer if template else self.base_tokenizer

    def shown(self) -> ShownTokens:
        """Return the tokens in the current mode; `problem` says what cannot be tokenized."""
        with self.lock:
            if self.mode == "text":
                return show_document(self.document)
            try:
                if self.mode == "ids":
                    return show_ids(self.tokenizer, decode_ids(self.tokenizer, parse_ids(self.ids_text)))
                return show_chat(self.counted().encoding)
            except PlaygroundError as error:
                return show_problem(self.shown_tokenizer, str(error))

    def counted(self) -> ChatCount:
        """Return the count of the chat. Raises PlaygroundError."""
        with self.lock:
            texts = [message.role + message.content for message in self.messages]
            n_bytes = sum(len(text.encode()) for text in texts + [tool.text for tool in self.tools])
            if n_bytes > MAX_TEXT_BYTES:
                limit = f"this page takes up to {MAX_TEXT_BYTES:,}"
                raise TextTooLongError(f"the chat has {n_bytes:,} bytes; {limit}")
            request = ChatRequest(self.messages, self.tools, elsewhere=self.elsewhere)
            key = (self.chat_model, request, self.options)
            if self._chat is None or self._chat[0] != key:
                self._chat = key, self._newly_counted(request)
            found = self._chat[1]
            if isinstance(found, PlaygroundError):
                raise found.with_traceback(None)
            return found

    def _newly_counted(self, request: ChatRequest) -> ChatCount | PlaygroundError:
        """Return the count, or the error that the same chat would have again.

        Raises LimitExceededError if no worker process was available.
        """
        try:
            return count_chat(request, self.chat_model, self.options)
        except LimitExceededError as error:
            if error.limit in ("waiting", "process"):
                raise
            return error
        except PlaygroundError as error:
            return error
