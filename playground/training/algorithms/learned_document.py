"""A learned vocabulary of characters and pieces as a `tokenizer.json`, which Hugging Face's library runs."""

import json
from collections.abc import Mapping, Sequence

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.tokenizer_json_file import TokenizerJsonFile, open_tokenizer_json
from playground.files.library_file import LibraryFile
from playground.files.tokenizers_library import split_expression


def learned_tokenizer(
    name: str,
    model: Mapping[str, object],
    n_tokens: int,
    pattern: SplitPattern,
    special_tokens: Sequence[str],
    *,
    space: str = "",
) -> TokenizerJsonFile:
    """Return the tokenizer of a model over the pretokens of a pattern; special tokens follow its `n_tokens`.

    `space` is the character that stands for a space in the model's pieces; "" is the space itself.
    """
    expression = split_expression(pattern)
    split = {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False}
    spaces = {"type": "Metaspace", "replacement": space, "prepend_scheme": "never", "split": False}
    to_space = {"type": "Replace", "pattern": {"String": space}, "content": " "}
    steps = [*([split] if expression else []), *([spaces] if space else [])]
    decoders = [*([to_space] if space else []), {"type": "ByteFallback"}, {"type": "Fuse"}]
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": n_tokens + n, "content": token, **added} for n, token in enumerate(special_tokens)
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": decoders},
        "model": model,
    }
    raw = json.dumps(document, ensure_ascii=False).encode()
    return open_tokenizer_json(LibraryFile.of("tokenizer.json", raw), "tokenizer.json", name=name)
