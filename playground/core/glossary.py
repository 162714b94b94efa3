"""The glossary: each technical term of the pages, defined in one sentence.

Streamlit's widgets show a definition as their help. The browser code marks a term with
`web/shared/glossary.js`; `python -m scripts.write_wire_types` writes the definitions for it to
`web/shared/glossary_terms.js`. Learn lists all of them.
"""

#: Each term's definition, of at most 30 words.
GLOSSARY: dict[str, str] = {
    "BOS": "A special token that marks the beginning of a sequence, often before every text.",
    "boundary": "A place in the text where one token ends and the next begins.",
    "byte fallback": "Encoding a character that is missing from the vocabulary as its UTF-8 bytes, "
    "one token for each byte.",
    "byte-level BPE": "Byte-pair encoding that starts from the 256 byte values, so that every text can be "
    "encoded and no unknown token is needed.",
    "bytes per token": "The text's UTF-8 bytes divided by its number of tokens. More means fewer tokens "
    "for the same text.",
    "chat template": "A program that turns a list of messages into one text with special tokens, in the "
    "format that a model was trained on.",
    "code point": "A number that Unicode assigns to a character, written as U+00E9 for é.",
    "embedding": "The row of learned numbers that a model looks up for a token's id.",
    "EOS": "A special token that marks the end of a sequence; a model writes it when its answer is complete.",
    "fertility": "The average number of tokens per word.",
    "glitch token": "A token that is in the vocabulary but was rare or absent in the model's training data, "
    "so that the model behaves oddly when it reads it.",
    "grapheme": "What a reader sees as one character. It can consist of several code points, as 👋🏽 does.",
    "held-out": "Text that is kept out of training, and used afterwards to measure the result on text that "
    "training has not seen.",
    "id": "The number of a token in its vocabulary. Ids are what a model reads and writes.",
    "lm_head": "The last layer of a language model, which computes a score for each token of the vocabulary.",
    "merge": "A learned rule that joins two neighbouring tokens into one longer token.",
    "NFC": "Unicode's composed normal form: é is one code point, not e followed by a combining accent.",
    "normalization": "A change to the text before it is split, such as lower-casing or NFC.",
    "parity-aware BPE": "Byte-pair encoding in which each merge serves the language that needs most tokens "
    "for the same text.",
    "pretoken": "A piece of text cut off by the split pattern. Each pretoken is tokenized on its own, so no "
    "token crosses from one into the next.",
    "rank": "A token's place in the order of learned merges. Of all pairs that can merge, the encoder takes "
    "the one with the lowest rank.",
    "special token": "A token with a role in the format, such as the end of a document. "
    "It is always a single id.",
    "split pattern": "The regular expression that cuts a text into pretokens before any merge.",
    "superword": "A token that joins several words, or a word and a mark. SuperBPE learns such tokens "
    "after its transition.",
    "tied weights": "One matrix that serves as both the embedding table and the lm_head, so that each token "
    "has one row of parameters instead of two.",
    "token": "A piece of text, or some bytes of it, that has an id in the vocabulary.",
    "Unigram": "A tokenizer that gives each token a probability and chooses the split of a text with the "
    "highest total probability.",
    "UTF-8": "The usual encoding of Unicode text, in which each code point takes one to four bytes.",
    "vocabulary": "All tokens of a tokenizer, each with its id.",
    "WordPiece": "A tokenizer that, from left to right in each word, takes the longest token that fits. BERT "
    "uses it and marks continuations with ##.",
}
