# Special tokens
#
# A special token, such as `<|endoftext|>`, marks the end of a document. It has an id of its own and is never merged, so the text is first cut at the special tokens.
#
# `encode_special(text, merges, special, byte_ids)` returns the ids of a text. `special` is a dict from each special token to its id. The text between special tokens is encoded by `encode_text`. `regex.split` keeps the separators if the pattern is in parentheses, and `regex.escape` makes `|` an ordinary character.


# %% stub
def encode_special(text, merges, special, byte_ids=range(256)):
    # Your code: cut the text at the special tokens.
    # Each part is a special token or ordinary text.
    return encode_text(text, merges, byte_ids)


# %% solution
def encode_special(text, merges, special, byte_ids=range(256)):
    if not special:
        return encode_text(text, merges, byte_ids)
    ids = []
    for part in regex.split("(" + "|".join(map(regex.escape, special)) + ")", text):
        if part in special:
            ids.append(special[part])
        else:
            ids.extend(encode_text(part, merges, byte_ids))
    return ids


# %% tests
def test_a_special_token_is_one_id():
    assert encode_special("a<|end|>b", {}, {"<|end|>": 300}) == [97, 300, 98]


def test_special_tokens_in_a_row_and_at_the_ends():
    assert encode_special("<|end|><|end|>a<|end|>", {}, {"<|end|>": 300}) == [300, 300, 97, 300]


def test_each_special_token_has_its_own_id():
    special = {"<|system|>": 300, "<|user|>": 301}
    assert encode_special("<|user|>a<|system|>", {}, special) == [301, 97, 300]


def test_without_special_tokens_it_is_ordinary_text():
    assert encode_special("a|b", {}, {}) == [97, 124, 98]
    assert encode_special("ab", {(97, 98): 256}, {}) == [256]


def test_a_part_of_a_special_token_is_ordinary_text():
    assert encode_special("<|en", {}, {"<|end|>": 300}) == [60, 124, 101, 110]


def test_text_between_special_tokens_is_merged():
    assert encode_special("ab<|end|>ab", {(97, 98): 256}, {"<|end|>": 300}) == [256, 300, 256]


def test_byte_ids_are_passed_on():
    assert encode_special("ab", {}, {"<|end|>": 300}, {97: 1, 98: 2}) == [1, 2]


# %% figure
def figure(text):
    merges = train(list(text.encode("utf-8")), 30)
    vocab = {**make_vocab(merges), 1000: b"<|endoftext|>"}
    ids = encode_special(text + "<|endoftext|>", merges, {"<|endoftext|>": 1000})
    return [tokens("Your text, and a special token after it", [vocab[i] for i in ids], lit=vocab[1000])]
