# From ids back to text
#
# From here on the numbers are called ids. An id stands for a token: one or more bytes. `make_vocab(merges)` returns a dict from each id to the bytes of its token. Ids 0 to 255 are the single bytes; a merge joins the bytes of its pair.
#
# `decode(ids, vocab)` joins the bytes of the tokens and returns them as text. Some lists of ids are not valid UTF-8; decode with `errors="replace"`, which turns invalid bytes into `�`.

# %% stub
def make_vocab(merges):
    vocab = {i: bytes([i]) for i in range(256)}
    # Your code: add the token of each merge.
    # `for (left, right), new_id in merges.items()` goes
    # through them in the order in which they were learned.
    return vocab


def decode(ids, vocab):
    # Your code: join the bytes of all tokens, then decode.
    return ""


# %% solution
def make_vocab(merges):
    vocab = {i: bytes([i]) for i in range(256)}
    for (left, right), new_id in merges.items():
        vocab[new_id] = vocab[left] + vocab[right]
    return vocab


def decode(ids, vocab):
    return b"".join(vocab[i] for i in ids).decode("utf-8", errors="replace")


# %% tests
def test_a_merge_joins_the_bytes_of_its_pair():
    vocab = make_vocab({(104, 105): 256, (256, 33): 257})
    assert vocab[256] == b"hi"
    assert vocab[257] == b"hi!"


def test_single_bytes_are_in_the_vocabulary():
    assert make_vocab({})[65] == b"A"
    assert len(make_vocab({})) == 256


def test_ids_become_text():
    assert decode([257, 32, 256], make_vocab({(104, 105): 256, (256, 33): 257})) == "hi! hi"


def test_a_character_can_span_several_tokens():
    assert decode(list("안녕".encode("utf-8")), make_vocab({})) == "안녕"


def test_invalid_bytes_become_a_replacement_character():
    assert decode([72, 128, 105], make_vocab({})) == "H\ufffdi"


# %% probes
make_vocab({(104, 105): 256, (256, 33): 257})[256]
make_vocab({(104, 105): 256, (256, 33): 257})[257]
decode([104, 105], make_vocab({}))
decode([257, 32, 256], make_vocab({(104, 105): 256, (256, 33): 257}))
decode(list("안녕".encode("utf-8")), make_vocab({}))
decode([72, 128, 105], make_vocab({}))


# %% mistake: The merges are missing from the vocabulary. For each pair and new id, join the bytes of the pair's two tokens.
def make_vocab(merges):
    return {i: bytes([i]) for i in range(256)}


# %% mistake: `decode` returns an empty text. Look up each id in `vocab`, join the bytes, and decode them.
def decode(ids, vocab):
    return ""


# %% mistake: The bytes of a pair are in the wrong order: left, then right.
def make_vocab(merges):
    vocab = {i: bytes([i]) for i in range(256)}
    for (left, right), new_id in merges.items():
        vocab[new_id] = vocab[right] + vocab[left]
    return vocab


# %% mistake: `bytes([left, right])` works only for two single bytes. A part can be a longer token: join `vocab[left]` and `vocab[right]`.
def make_vocab(merges):
    vocab = {i: bytes([i]) for i in range(256)}
    for (left, right), new_id in merges.items():
        vocab[new_id] = bytes([left, right])
    return vocab


# %% mistake: Some lists of ids aren't valid UTF-8, and `decode` then raises UnicodeDecodeError. Pass it `errors="replace"`.
def decode(ids, vocab):
    return b"".join(vocab[i] for i in ids).decode("utf-8")


# %% mistake: Invalid bytes disappear. Use `errors="replace"` instead of `"ignore"` to show where they were.
def decode(ids, vocab):
    return b"".join(vocab[i] for i in ids).decode("utf-8", errors="ignore")


# %% mistake: You decode each token by itself. A character can span several tokens, so join all bytes first, then decode once.
def decode(ids, vocab):
    return "".join(vocab[i].decode("utf-8", errors="replace") for i in ids)


# %% mistake: You decode each token by itself. A character can span several tokens, so join all bytes first, then decode once.
def decode(ids, vocab):
    return "".join(vocab[i].decode("utf-8") for i in ids)


# %% mistake: The result is bytes. Decode them to text.
def decode(ids, vocab):
    return b"".join(vocab[i] for i in ids)


# %% mistake: `chr(i)` is a character, not the byte i, which is `bytes([i])`. Join the bytes of all tokens, then decode them as UTF-8.
def decode(ids, vocab):
    return "".join(chr(byte) for i in ids for byte in vocab[i])


# %% mistake: The tokens are bytes, so join them with `b"".join(…)`, then decode the result.
def decode(ids, vocab):
    return "".join(vocab[i] for i in ids)


# %% mistake: `str()` writes bytes with the b and the quotes. Call `.decode("utf-8", errors="replace")` on the bytes.
def decode(ids, vocab):
    return str(b"".join(vocab[i] for i in ids))


# %% mistake: `bytes(5)` is five zero bytes. The single byte 5 is `bytes([5])`.
def make_vocab(merges):
    vocab = {i: bytes(i) for i in range(256)}
    for (left, right), new_id in merges.items():
        vocab[new_id] = vocab[left] + vocab[right]
    return vocab


# %% mistake: The tokens in `vocab` are text, and must be bytes: `bytes([i])`, not `chr(i)`.
def make_vocab(merges):
    vocab = {i: chr(i) for i in range(256)}
    for (left, right), new_id in merges.items():
        vocab[new_id] = vocab[left] + vocab[right]
    return vocab


def decode(ids, vocab):
    return "".join(vocab[i] for i in ids)


# %% mistake: The tokens in `vocab` are text, and must be bytes: `bytes([i])`, not `chr(i)`.
def make_vocab(merges):
    vocab = {i: chr(i) for i in range(256)}
    for (left, right), new_id in merges.items():
        vocab[new_id] = vocab[left] + vocab[right]
    return vocab


# %% figure
def figure(text):
    raw = text.encode("utf-8")
    vocab = make_vocab(train(list(raw), 20))
    longest = sorted(vocab.items(), key=lambda item: -len(item[1]))[:8]
    rows = [tokens(str(i), [raw]) for i, raw in longest]
    return [tokens("decode([72, 128, 105], vocab)", [decode([72, 128, 105], vocab)]), *rows]
