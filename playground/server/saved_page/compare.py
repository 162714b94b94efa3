"""A text in several tokenizers, as Compare shows it, as a page."""

from collections.abc import Sequence
from html import escape
from typing import Literal, get_args

from playground.analysis.comparison import ComparedModel, compared_model, row_figures
from playground.analysis.live_comparison import LiveComparison
from playground.analysis.shown_tokens import show_document
from playground.catalog.models import MODELS_DATE
from playground.core.errors import InvalidInputError
from playground.core.wording import counted, listed
from playground.render.palette import token_css, tokenizer_css_colors
from playground.server.saved_page.page import SavedPage, in_quotes, named

#: How rows are laid out; see `web/compare/shown_rows.js`.
Layout = Literal["aligned", "cards"]
LAYOUTS = get_args(Layout)


def saved_comparison(
    comparison: LiveComparison, models: Sequence[ComparedModel] = (), *, layout: Layout = "aligned"
) -> SavedPage:
    """Return the page with a text in the comparison's tokenizers; `models` names its rows.

    Raises InvalidInputError for an empty text.
    """
    if not comparison.text:
        raise InvalidInputError("there is no text to compare")
    rows, text = comparison.rows(), comparison.text
    models = models or [compared_model(tokenizer, None) for tokenizer in comparison.tokenizers]
    names = [named(tokenizer) for tokenizer in comparison.tokenizers]
    called = [
        name if model["name"] == row.tokenizer_name else f"{model['name']} ({model['detail']})"
        for row, model, name in zip(rows, models, names, strict=True)
    ]
    counts = [f"{row.n_tokens:,} in {name}" for row, name in zip(rows, called, strict=True)]
    columns = []
    for document in comparison.documents:
        shown = show_document(document)
        columns += [shown.ids, shown.lengths, shown.marks]
    lines = "".join(
        f"<tr><td>{escape(name)}</td><td>{row.n_tokens:,}</td><td>{row.bytes_per_token:.2f}</td></tr>"
        for row, name in zip(rows, called, strict=True)
    )
    return SavedPage(
        name=f"comparison-{'-'.join(tokenizer.name for tokenizer in comparison.tokenizers)}",
        title=f"The same text in {counted(len(rows), 'tokenizer')}",
        caption=(
            f"{in_quotes(text)} ({counted(rows[0].n_characters, 'character')}, "
            f"{counted(rows[0].n_bytes, 'UTF-8 byte')}) in tokens: {listed(counts)}."
        ),
        hint="Point at the text, tap it, or use the arrow keys to see its tokens and ids in every row.",
        made_from=", ".join(names),
        figure="saved_page/compare.html",
        look=("shared/token_strip.css", "compare/compare.css", "saved_page/compare.css"),
        css=token_css(),
        fallback=(
            "<table><tr><th>tokenizer</th><th>tokens</th><th>bytes per token</th></tr>"
            f"{lines}</table><pre>{escape(text)}</pre>"
        ),
        module="saved_page/compare.js",
        header={
            "text": text,
            "rows": [row_figures(row) for row in rows],
            "agreement": comparison.agreement(),
            "models": models,
            "colors": tokenizer_css_colors(tokenizer.name for tokenizer in comparison.tokenizers),
            "prices_date": MODELS_DATE,
            "layout": layout,
        },
        columns=columns,
    )
