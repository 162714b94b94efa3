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


# %% figure
def figure(text):
    raw = text.encode("utf-8")
    vocab = make_vocab(train(list(raw), 20))
    longest = sorted(vocab.items(), key=lambda item: -len(item[1]))[:8]
    rows = [tokens(str(i), [raw]) for i, raw in longest]
    return [tokens("decode([72, 128, 105], vocab)", [decode([72, 128, 105], vocab)]), *rows]
