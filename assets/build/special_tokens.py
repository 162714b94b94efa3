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


# %% probes
encode_special("a<|end|>b", {}, {"<|end|>": 300})
encode_special("<|end|><|end|>a<|end|>", {}, {"<|end|>": 300})
encode_special("<|user|>a<|system|>", {}, {"<|system|>": 300, "<|user|>": 301})
encode_special("a|b", {}, {})
encode_special("ending", {(110, 100): 256, (256, 105): 257}, {"<|end|>": 300})
encode_special("ab<|end|>ab", {(97, 98): 256}, {"<|end|>": 300})
encode_special("ab", {}, {"<|end|>": 300}, {97: 1, 98: 2})
encode_special("ab", {(97, 98): 256}, {})


# %% mistake: Special tokens are encoded as ordinary text. Cut the text with `regex.split` before you encode the parts.
def encode_special(text, merges, special, byte_ids=range(256)):
    return encode_text(text, merges, byte_ids)


# %% mistake: The special tokens are lost: `regex.split` drops the separators. Put the whole pattern in parentheses.
def encode_special(text, merges, special, byte_ids=range(256)):
    if not special:
        return encode_text(text, merges, byte_ids)
    ids = []
    for part in regex.split("|".join(map(regex.escape, special)), text):
        ids.extend([special[part]] if part in special else encode_text(part, merges, byte_ids))
    return ids


# %% mistake: An empty `special` makes an empty pattern, which cuts everywhere or fails. If `special` is empty, return `encode_text(…)` at once.
def encode_special(text, merges, special, byte_ids=range(256)):
    ids = []
    for part in regex.split("(" + "|".join(map(regex.escape, special)) + ")", text):
        ids.extend([special[part]] if part in special else encode_text(part, merges, byte_ids))
    return ids


# %% mistake: The text between special tokens is left as bytes. Give it to `encode_text` with the merges.
def encode_special(text, merges, special, byte_ids=range(256)):
    if not special:
        return encode_text(text, {}, byte_ids)
    ids = []
    for part in regex.split("(" + "|".join(map(regex.escape, special)) + ")", text):
        ids.extend([special[part]] if part in special else encode_text(part, {}, byte_ids))
    return ids


# %% mistake: Pass `byte_ids` on to `encode_text`.
def encode_special(text, merges, special, byte_ids=range(256)):
    if not special:
        return encode_text(text, merges)
    ids = []
    for part in regex.split("(" + "|".join(map(regex.escape, special)) + ")", text):
        ids.extend([special[part]] if part in special else encode_text(part, merges))
    return ids


# %% mistake: Escape each special token by itself, then join them with `|`. In your pattern the `|` between them is an ordinary character.
def encode_special(text, merges, special, byte_ids=range(256)):
    ids = []
    for part in regex.split("(" + regex.escape("|".join(special)) + ")", text) if special else [text]:
        ids.extend([special[part]] if part in special else encode_text(part, merges, byte_ids))
    return ids


# %% mistake: The result has lists in it. Use `ids.extend(…)` for the ids of a text, and `ids.append(…)` for one id.
def encode_special(text, merges, special, byte_ids=range(256)):
    if not special:
        return encode_text(text, merges, byte_ids)
    parts = regex.split("(" + "|".join(map(regex.escape, special)) + ")", text)
    return [special[part] if part in special else encode_text(part, merges, byte_ids) for part in parts]


# %% mistake: `|` in a pattern means "or", so put each special token through `regex.escape`. Parentheses around the whole pattern keep the separators.
def encode_special(text, merges, special, byte_ids=range(256)):
    ids = []
    for part in regex.split("|".join(special), text) if special else [text]:
        ids.extend([special[part]] if part in special else encode_text(part, merges, byte_ids))
    return ids


# %% mistake: `|` in a pattern means "or". Put each special token through `regex.escape` before you join them.
def encode_special(text, merges, special, byte_ids=range(256)):
    ids = []
    for part in regex.split("(" + "|".join(special) + ")", text) if special else [text]:
        ids.extend([special[part]] if part in special else encode_text(part, merges, byte_ids))
    return ids


# %% figure
def figure(text):
    merges = train(list(text.encode("utf-8")), 30)
    vocab = {**make_vocab(merges), 1000: b"<|endoftext|>"}
    ids = encode_special(text + "<|endoftext|>", merges, {"<|endoftext|>": 1000})
    return [tokens("Your text, and a special token after it", [vocab[i] for i in ids], lit=vocab[1000])]
