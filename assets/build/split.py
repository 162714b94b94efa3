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
    assert split("123456789012") == ["123456789012"]


def test_contractions_are_pieces_in_lowercase_only():
    assert split("we'll I'd") == ["we", "'ll", " I", "'d"]
    assert split("WE'LL") == ["WE", "'", "LL"]


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


# %% figure
def figure(text):
    merges = train(list(text.encode("utf-8")), 30)
    vocab = make_vocab(merges)
    return [
        tokens(f"Pieces: {len(split(text))}", split(text)),
        tokens(f"Tokens: {len(encode_text(text, merges))}", [vocab[i] for i in encode_text(text, merges)]),
    ]
