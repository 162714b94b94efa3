# Split before merging
#
# GPT-2 first splits a text into pieces, such as words with the space before them, and merges only within a piece; so no token is "dog." with its full stop. The split is a regular expression: `\p{L}` is any letter, `\p{N}` any digit, `\s` any white space, and ` ?` a space or nothing.
#
# Add the two missing alternatives to `PATTERN`. Then write `encode_text(text, merges, byte_ids)`: split, encode each piece, and return all ids in one list. `byte_ids[b]` is the id of byte `b`. That is `b` itself until the step *GPT-2's files*.

# %% stub
import regex

PATTERN = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d"  # it's, don't, we're
    r"| ?\p{L}+"  # a space or none, then letters
    # Your code: a space or none, then digits.
    # Your code: a space or none, then characters that
    # are none of white space, letter and digit.
    r"|\s+(?!\S)|\s+"  # other white space
)


def split(text):
    return PATTERN.findall(text)


def encode_text(text, merges, byte_ids=range(256)):
    ids = []
    # Your code: add the ids of each piece of split(text).
    # piece.encode("utf-8") gives its bytes.
    return ids


# %% solution
import regex

PATTERN = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d"  # it's, don't, we're
    r"| ?\p{L}+"  # a space or none, then letters
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
    text = "naïve 京都 x² 3½\n\n  tab\t👋!"
    assert "".join(split(text)) == text


def test_each_piece_is_encoded_by_itself():
    merges = {(98, 32): 256, (97, 98): 257}
    assert encode_text("ab ab", merges) == [257, 32, 257]
    assert encode_text("é", {}) == [195, 169]


def test_byte_ids_say_which_id_a_byte_has():
    assert encode_text("ab", {(1, 2): 256}, {97: 1, 98: 2}) == [256]


# %% probes
split("Hello world's end")
split("in 2024 and4you")
split("wait... (what?!) €5")
"".join(split("naïve 京都 x² 3½\n\n  tab\t👋!"))
encode_text("ab ab", {(98, 32): 256, (97, 98): 257})
encode_text("é", {})
encode_text("ab", {(1, 2): 256}, {97: 1, 98: 2})

# %% mistake: Digits and punctuation are lost: the pattern has no alternative for them. Add r"| ?\p{N}+", and one for what is none of white space, letter and digit: [^\s\p{L}\p{N}].
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\s+(?!\S)|\s+")


def encode_text(text, merges, byte_ids=range(256)):
    return []


# %% mistake: Digits and punctuation are lost: the pattern has no alternative for them. Add r"| ?\p{N}+", and one for what is none of white space, letter and digit: [^\s\p{L}\p{N}].
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\s+(?!\S)|\s+")

# %% mistake: Punctuation is lost. Add an alternative for characters that are none of white space, letter and digit: [^\s\p{L}\p{N}] after an optional space, one or more.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|\s+(?!\S)|\s+")

# %% mistake: Digits are lost. Add the alternative r"| ?\p{N}+".
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

# %% mistake: Digits have lost the space before them. Begin the alternative with a space and `?`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

# %% mistake: Punctuation has lost the space before it. Begin the alternative with a space and `?`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

# %% mistake: Digits and punctuation have lost the space before them. Begin both alternatives with a space and `?`.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

# %% mistake: Each digit or punctuation mark is a piece by itself. `+` after the class takes several.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]|\s+(?!\S)|\s+")

# %% mistake: Each punctuation mark is a piece by itself. `+` after the class takes several.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]|\s+(?!\S)|\s+")

# %% mistake: \d knows fewer digits than \p{N}, which includes ² and ½.
PATTERN = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\d+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


# %% mistake: The split is right; now encode_text returns an empty list. Loop over split(text) and extend `ids`.
def encode_text(text, merges, byte_ids=range(256)):
    return []


# %% mistake: You encode the whole text at once, so tokens cross from one word into the next. Encode each piece of split(text).
def encode_text(text, merges, byte_ids=range(256)):
    return encode([byte_ids[b] for b in text.encode("utf-8")], merges)


# %% mistake: The result is a list of lists. Use ids.extend(…) instead of ids.append(…).
def encode_text(text, merges, byte_ids=range(256)):
    return [encode([byte_ids[b] for b in piece.encode("utf-8")], merges) for piece in split(text)]


# %% mistake: Translate each byte b of a piece to byte_ids[b] before you encode.
def encode_text(text, merges, byte_ids=range(256)):
    return [i for piece in split(text) for i in encode(list(piece.encode("utf-8")), merges)]


# %% mistake: ord() gives code points. A tokenizer of bytes begins with piece.encode("utf-8").
def encode_text(text, merges, byte_ids=range(256)):
    return [i for piece in split(text) for i in encode([ord(c) for c in piece], merges)]


# %% figure
def figure(text):
    merges = train(list(text.encode("utf-8")), 30)
    vocab = make_vocab(merges)
    return [
        tokens(f"{len(split(text))} pieces", split(text)),
        tokens(f"{len(encode_text(text, merges))} tokens", [vocab[i] for i in encode_text(text, merges)]),
    ]
