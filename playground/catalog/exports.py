"""Exports of any opened tokenizer: files with the proof by their library, or why there are none."""

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from playground.catalog.opened import OpenedTokenizer
from playground.catalog.sentencepiece_export import NO_PATTERN, sentencepiece_model
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.catalog.trained import TrainedTokenizer
from playground.catalog.word_table import UNKNOWN, WordTableTokenizer, pattern_of
from playground.catalog.wordpiece import UNKNOWN_PIECE, WordPieceTokenizer
from playground.core.errors import CannotHoldError
from playground.files.checks import Files, shown
from playground.files.proof import Encode, Export, Proof, library_errors, proof_texts, versioned
from playground.files.registry import FILE_FORMATS

#: A format's library, and the files with their proof or the reason why there are none.
Exports = list[tuple[str, Export | str]]
#: White space to Python's `re` that other engines don't count.
_SEPARATORS = "\x1c-\x1f\x85"


def exports_of(tokenizer: OpenedTokenizer) -> Exports:
    """Return the export for each library; each proof has its library encode the test text.

    >>> from playground.catalog.word_table import learn_table
    >>> table = WordTableTokenizer("mine", learn_table(["the cat"], "words", has_unknown=True))
    >>> exports = dict(exports_of(table))
    >>> list(exports["Hugging Face tokenizers"].files), exports["tiktoken"]
    (['mine.json'], 'it has no merges of bytes, which these files consist of')
    """
    if isinstance(tokenizer, TrainedTokenizer):
        return [(entry.library, _tried(partial(tokenizer.export, entry))) for entry in FILE_FORMATS.values()]
    made: Exports = []
    if isinstance(tokenizer, WordPieceTokenizer):
        made.append(("BERT's vocab.txt", _tried(lambda: _vocab_txt(tokenizer))))
    if isinstance(tokenizer, WordPieceTokenizer | TokenizerJsonFile | WordTableTokenizer):
        made.append(("Hugging Face tokenizers", _tried(lambda: _tokenizer_json(tokenizer))))
    else:
        made.append(("Hugging Face tokenizers", "it is no tokenizer.json, and none can be made of it"))
    if isinstance(tokenizer, TokenizerJsonFile):
        made.append(("sentencepiece", _tried(lambda: _sentencepiece(tokenizer))))
    return [*made, ("tiktoken", "it has no merges of bytes, which these files consist of")]


def _tried(export: Callable[[], Export]) -> Export | str:
    try:
        return export()
    except CannotHoldError as error:
        return str(error)


def _vocab_txt(tokenizer: WordPieceTokenizer) -> Export:
    library = versioned("tokenizers")
    raw = tokenizer.model.raw
    with library_errors(library), tempfile.TemporaryDirectory() as folder:
        from tokenizers import BertWordPieceTokenizer

        file = Path(folder, "vocab.txt")
        file.write_bytes(raw)
        bert = BertWordPieceTokenizer(str(file), lowercase=tokenizer.is_uncased)

        def encode(text: str) -> list[int]:
            return list(bert.encode(text, add_special_tokens=False).ids)

        note = "" if tokenizer.is_uncased else "Open it with do_lower_case=False."
        proof = _proof(tokenizer, library, encode, note)
    return Export({f"{tokenizer.name}.txt": raw.decode()}, proof)


def _tokenizer_json(tokenizer: WordPieceTokenizer | TokenizerJsonFile | WordTableTokenizer) -> Export:
    library = versioned("tokenizers")
    with library_errors(library):
        from tokenizers import Tokenizer

        if isinstance(tokenizer, TokenizerJsonFile):
            text = tokenizer.model.raw.decode("utf-8-sig")
        elif isinstance(tokenizer, WordPieceTokenizer):
            text = _wordpiece_document(tokenizer)
        else:
            text = _table_document(tokenizer)
        loaded = Tokenizer.from_str(text)
        proof = _proof(tokenizer, library, lambda each: loaded.encode(each, add_special_tokens=False).ids)
    files: Files = {f"{tokenizer.name}.json": text}
    return Export(files, proof)


def _sentencepiece(tokenizer: TokenizerJsonFile) -> Export:
    library = versioned("sentencepiece")
    raw, note = sentencepiece_model(tokenizer)
    with library_errors(library):
        from sentencepiece import SentencePieceProcessor

        loaded = SentencePieceProcessor(model_proto=raw)
        may_differ = NO_PATTERN in note  # then it depends on the text, and the file is written all the same
        proof = _proof(tokenizer, library, loaded.encode, note, may_differ=may_differ)
    return Export({}, proof, binary={f"{tokenizer.name}.model": raw})


def _wordpiece_document(tokenizer: WordPieceTokenizer) -> str:
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

    id_of = {piece: n for n, piece in enumerate(tokenizer.pieces)}
    library: Any = Tokenizer(models.WordPiece(id_of, unk_token=UNKNOWN_PIECE, max_input_chars_per_word=100))
    library.normalizer = normalizers.BertNormalizer(lowercase=tokenizer.is_uncased)
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece()
    library.add_special_tokens([AddedToken(token, normalized=False) for token in tokenizer.special_tokens])
    return str(library.to_str(pretty=False))


def _table_document(tokenizer: WordTableTokenizer) -> str:
    table = tokenizer.model
    if not table.has_unknown:
        raise CannotHoldError(f"a tokenizer.json of a table needs {UNKNOWN}; learn it with has_unknown")
    rows = [*table.rows, *table.special_rows]
    expression = (
        pattern_of(table.unit).pattern.replace(r"[^\s", rf"[^\s{_SEPARATORS}").replace("(?s:.)", r"[\s\S]")
    )
    split = {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Removed", "invert": True}
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": token_id, "content": token, **added}
            for token, token_id in tokenizer.special_tokens.items()
        ],
        "normalizer": None,
        "pre_tokenizer": split,
        "post_processor": None,
        "decoder": {"type": "Fuse"} if table.unit == "characters" else None,
        "model": {"type": "WordLevel", "vocab": {row: n for n, row in enumerate(rows)}, "unk_token": UNKNOWN},
    }
    return json.dumps(document, ensure_ascii=False)


def _proof(
    tokenizer: OpenedTokenizer, library: str, encode: Encode, note: str = "", *, may_differ: bool = False
) -> Proof:
    """Encode the test text with both.

    Raises CannotHoldError with the first part that differs; with `may_differ` the proof has it.
    """
    special = frozenset(tokenizer.special_tokens)
    n_ids = 0
    for text in proof_texts(tuple(tokenizer.special_tokens)):
        ours, theirs = list(tokenizer.encode(text, allowed_special=special)), list(encode(text))
        if ours != theirs:
            if may_differ:
                difference = f"other ids for {shown(text)}"
                return Proof(library, n_ids, note, is_cut_compared=False, difference=difference)
            raise CannotHoldError(f"{library} gives other ids for {shown(text)}: {theirs}, here {ours}")
        n_ids += len(ours)
    return Proof(library, n_ids, note, is_cut_compared=False)
