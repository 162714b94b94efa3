# Split before merging
#
# GPT-2 first splits a text into pieces, such as a word with the space before it, and merges only within a piece. So no token has a word and the full stop after it. The split is a regular expression: `\p{L}` is any letter, `\p{N}` any digit, `\s` any white space, and `?` after a space makes the space optional.
#
# Add the two missing alternatives to `PATTERN`. Then write `encode_text(text, merges, byte_ids)`: split the text, encode the bytes of each piece, and return the ids of all pieces in one list. Before you encode, replace each byte `b` by its id, `byte_ids[b]`. By default that is `b` itself, but in GPT-2 bytes have other ids.

# %% stub
import regex

PATTERN = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d"  # it's, don't, we're
    r"| ?\p{L}+"  # an optional space, then letters
    # Your code: an optional space, then digits.
    # Your code: an optional space, then characters that
    # are neither white space nor letters nor digits.
    r"|\s+(?!\S)|\s+"  # other white space
)


def split(text):
    return PATTERN.findall(text)


def encode_text(text, merges, byte_ids=range(256)):
    ids = []
    # Your code: add the ids of each piece of split(text).
    # The bytes of a piece are piece.encode("utf-8").
    return ids


# %% solution
import regex

PATTERN = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d"  # it's, don't, we're
    r"| ?\p{L}+"  # an optional space, then letters
    r"| ?\p{N}+"  # digits
    r"| ?[^\s\p{L}\p{N}]+"  # others
    r"|\s+(?!\S)|\s+"  # other white space
)


def split(text):
    return PATTERN.findall(text)


def encode_text(text, merges, byte_ids=range(256)):
    ids = []
    for piece in split(text):
        ids.extend(encode([byte_ids[b] for b in piece.encode("utf-8")], merges))
    return ids


# %% tests
def test_words_keep_the_space_before_them():
    assert split("Hello world's end") == ["Hello", " world", "'s", " end"]


def test_digits_are_pieces_of_their_own():
    assert split("in 2024 and4you") == ["in", " 2024", " and", "4", "you"]


def test_other_characters_are_pieces_too():
    assert split("wait... (what?!) €5") == ["wait", "...", " (", "what", "?!)", " €", "5"]


def test_nothing_is_lost():
    text = "naïve 京都 x² 3½\n\n  a_b\t👋!"
    assert "".join(split(text)) == text


def test_each_piece_is_encoded_by_itself():
    merges = {(98, 32): 256, (97, 98): 257}
    assert encode_text("ab ab", merges) == [257, 32, 257]
    assert encode_text("é", {}) == [195, 169]


def test_each_byte_is_replaced_by_its_id():
    assert encode_text("ab", {(1, 2): 256}, {97: 1, 98: 2}) == [256]


# %% probes
split("Hello world's end")
split("in 2024 and4you")
split("wait... (what?!) €5")
"".join(split("naïve 京都 x² 3½\n\n  a_b\t👋!"))
encode_text("ab ab", {(98, 32): 256, (97, 98): 257})
encode_text("é", {})
encode_text("ab", {(1, 2): 256}, {97: 1, 98: 2})

# %% mistake: Digits and punctuation are lost: the pattern has no alternative for them. Add `r"| ?\p{N}+"`, and one for characters that are neither white space nor letters nor digits: `[^\s\p{L}\p{N}]`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\s+(?!\S)|\s+")


def encode_text(text, merges, byte_ids=range(256)):
    return []


# %% mistake: Digits and punctuation are lost: the pattern has no alternative for them. Add `r"| ?\p{N}+"`, and one for characters that are neither white space nor letters nor digits: `[^\s\p{L}\p{N}]`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\s+(?!\S)|\s+")

# %% mistake: Punctuation is lost. Add an alternative for characters that are neither white space nor letters nor digits: an optional space, then one or more of `[^\s\p{L}\p{N}]`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|\s+(?!\S)|\s+")

# %% mistake: Digits are lost. Add the alternative `r"| ?\p{N}+"`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

# %% mistake: Digits have lost the space before them. Begin the alternative with a space and `?`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

# %% mistake: Punctuation has lost the space before it. Begin the alternative with a space and `?`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

# %% mistake: Digits and punctuation have lost the space before them. Begin both alternatives with a space and `?`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

# %% mistake: Each digit and each punctuation mark is a piece of its own. Put `+` after the class to take several.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]|\s+(?!\S)|\s+")

# %% mistake: Each punctuation mark is a piece of its own. Put `+` after the class to take several.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]|\s+(?!\S)|\s+")

# %% mistake: Use `\p{N}` for digits: it includes ² and ½, which `\d` doesn't.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\d+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


# %% mistake: The split is right; now `encode_text` returns an empty list. Loop over `split(text)` and extend `ids`.
def encode_text(text, merges, byte_ids=range(256)):
    return []


# %% mistake: You encode the whole text at once, so tokens cross from one word into the next. Encode each piece of `split(text)`.
def encode_text(text, merges, byte_ids=range(256)):
    return encode([byte_ids[b] for b in text.encode("utf-8")], merges)


# %% mistake: The result is a list of lists. Use `ids.extend(…)` instead of `ids.append(…)`.
def encode_text(text, merges, byte_ids=range(256)):
    return [encode([byte_ids[b] for b in piece.encode("utf-8")], merges) for piece in split(text)]


# %% mistake: Replace each byte `b` of a piece by `byte_ids[b]` before you encode.
def encode_text(text, merges, byte_ids=range(256)):
    return [i for piece in split(text) for i in encode(list(piece.encode("utf-8")), merges)]


# %% mistake: `ord()` gives code points. A tokenizer of bytes begins with `piece.encode("utf-8")`.
def encode_text(text, merges, byte_ids=range(256)):
    return [i for piece in split(text) for i in encode([ord(c) for c in piece], merges)]


# %% mistake: `re` doesn't know `\p{L}`, and `regex` does. Keep `import regex`, and use `regex.compile`.
import re

PATTERN = re.compile(r"\p{L}")

# %% mistake: The class of other characters has digits too, so they join punctuation. Exclude them as well: `[^\s\p{L}\p{N}]`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}]+|\s+(?!\S)|\s+")

# %% mistake: The class of other characters has digits too, so they join punctuation. Exclude them as well: `[^\s\p{L}\p{N}]`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}]+| ?\p{N}+|\s+(?!\S)|\s+")

# %% mistake: `\w` includes `_`, so the underscore is lost. Write `[^\s\p{L}\p{N}]` for the other characters.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\w]+|\s+(?!\S)|\s+")

# %% mistake: Each alternative begins with `|`. Without it, your parts only match directly after the letters.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+ ?\p{N}+ ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

# %% mistake: With parentheses in the pattern, `findall` returns only what is inside them. Leave them out; `|` needs none here.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|( ?\p{N}+)|( ?[^\s\p{L}\p{N}]+)|\s+(?!\S)|\s+")


# %% mistake: You give `encode` a text. It takes a list of ids: one for each byte of `piece.encode("utf-8")`.
def encode_text(text, merges, byte_ids=range(256)):
    return [i for piece in split(text) for i in encode(piece, merges)]


# %% mistake: `byte_ids` has ids of bytes, not of tokens. Replace the bytes before you call `encode`, not its result.
def encode_text(text, merges, byte_ids=range(256)):
    return [byte_ids[i] for piece in split(text) for i in encode(list(piece.encode("utf-8")), merges)]


# %% figure
def figure(text):
    merges = train(list(text.encode("utf-8")), 30)
    vocab = make_vocab(merges)
    return [
        tokens(f"Pieces: {len(split(text))}", split(text)),
        tokens(f"Tokens: {len(encode_text(text, merges))}", [vocab[i] for i in encode_text(text, merges)]),
    ]
