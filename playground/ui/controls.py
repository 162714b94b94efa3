"""Controls that several pages share; each keeps its choice for the session."""

from collections.abc import Sequence

import streamlit as st

from playground.catalog.registry import MODELS, TOKENIZERS, encoding_name, get_tokenizer, is_known
from playground.core.errors import UnknownTokenizerError
from playground.core.tokenizer import Tokenizer
from playground.render.plain_text import markdown_escape
from playground.server.editor_session import EditorSession
from playground.ui import state


def choose_tokenizer(name: str, *, label: str = "Tokenizer", default: str = "cl100k_base") -> Tokenizer:
    """A searchable picker of encodings and models; `name` tells one picker's memory from another's.

    Any model's name may be typed, such as gpt-4o-2024-05-13, and a part of a name stands for the first that
    has it; an unknown one is told, and `default` used.
    """
    trained = state.trained_tokenizers()
    options = [*trained, *TOKENIZERS, *(model for model in MODELS if model not in TOKENIZERS)]
    kept = state.keep(f"tokenizer.{name}", lambda: default)
    key, on_change = state.show_kept(f"tokenizer.{name}")
    chosen: str = st.selectbox(
        label,
        options if kept in options else [*options, kept],
        key=key,
        on_change=on_change,
        format_func=lambda option: _option_label(option, options),
        accept_new_options=True,
        help="An encoding, or a model that uses one: type to search, or any model's full name.",
    )
    meant = _meant_option(chosen, options)
    if meant in trained:
        return trained[meant]
    try:
        return get_tokenizer(meant)
    except UnknownTokenizerError as error:
        st.error(markdown_escape(f"{error}. Shown here: {default}."))
        return get_tokenizer(default)


def choose_own_special_tokens(session: EditorSession) -> tuple[str, ...]:
    """A popover in which one's own special tokens are named, one a line; bad names are told and left out."""
    n_own = len(session.own_special)
    label = f"Own special tokens ({n_own})" if n_own else "Own special tokens"
    with st.popover(label, width="stretch"):
        state.keep("own_special", lambda: "\n".join(session.own_special))
        key, on_change = state.show_kept("own_special")
        typed = st.text_area(
            "One special token a line",
            key=key,
            on_change=on_change,
            placeholder="<|user|>\n<|assistant|>",
            help="Ids follow the vocabulary. They count only while special tokens are honoured.",
        )
        names = tuple(dict.fromkeys(line for line in typed.splitlines() if line))
        problem = session.problem_with_own_special(names)
        if problem is not None:
            st.error(markdown_escape(problem))
            return session.own_special
        if names:
            st.dataframe(
                {
                    "special token": names,
                    "id": [session.base_tokenizer.n_vocab + i for i in range(len(names))],
                },
                hide_index=True,
            )
    return names


def _meant_option(typed: str, options: Sequence[str]) -> str:
    """The option of this name or with it inside, or else what was typed: it may name a model."""
    if typed in options or is_known(typed):
        return typed
    return next((option for option in options if typed.lower() in option.lower()), typed)


def _option_label(option: str, options: Sequence[str]) -> str:
    """The name, and what it stands for where that is another."""
    meant = _meant_option(option, options)
    stands_for = encoding_name(meant) if is_known(meant) else meant
    return option if stands_for == option else f"{option} → {stands_for}"


def choose_tokenizers(
    name: str, *, default: list[str], n_min: int, n_max: int, label: str = "Tokenizers"
) -> list[Tokenizer]:
    """A picker of several tokenizers, trained ones first; until it is used it shows `default`."""
    trained = state.trained_tokenizers()
    options = [*trained, *TOKENIZERS]
    kept = state.keep(f"tokenizers.{name}", lambda: None) or default
    chosen = st.multiselect(
        label,
        options,
        [option for option in kept if option in options],
        max_selections=n_max,
        key=f"tokenizers_{name}_{'_'.join(default)}",
    )
    state.put(f"tokenizers.{name}", None if chosen == default else chosen)
    if len(chosen) < n_min:
        st.info(f"Choose at least {n_min} tokenizers, up to {n_max}.")
    return [trained[option] if option in trained else get_tokenizer(option) for option in chosen]


def choose_view(name: str, views: Sequence[str]) -> str:
    """One of several views of a page, below each other's place; the others are not computed."""
    arguments = state.kept(f"view.{name}", lambda: views[0], "default")
    chosen = st.segmented_control("View", views, label_visibility="collapsed", **arguments)
    return chosen or views[0]  # a second click on a view takes the choice away


def default_tokenizers() -> list[str]:
    """What a comparison opens with: two of OpenAI's and a custom one, the last trained or the bundled."""
    return ["gpt2", "cl100k_base", next(reversed(state.trained_tokenizers()), "python_docs_4k")]
