# From text to ids
#
# A trained tokenizer encodes any text with its merges. Of the pairs of neighbours that are in `merges`, merge the one with the lowest number, because it was learned first. Repeat until no pair is in `merges`. Look up the pairs of the text: GPT-2 has 50,000 merges, too many to go through.
#
# `encode(ids, merges)` takes the bytes of a text as a list of numbers, and returns the list of token ids.


# %% stub
def encode(ids, merges):
    # Your code: while there is a known pair,
    # merge the one that was learned first.
    return ids


# %% solution
def encode(ids, merges):
    while True:
        known = [pair for pair in get_stats(ids) if pair in merges]
        if not known:
            return ids
        pair = min(known, key=merges.get)
        ids = merge(ids, pair, merges[pair])


# %% tests
def test_known_pairs_are_merged():
    assert encode([104, 105, 33], {(104, 105): 256}) == [256, 33]


def test_new_tokens_merge_again():
    merges = train(list(b"aaabdaaabac"), 3)
    assert encode(list(b"aaabdaaabac"), merges) == [258, 100, 258, 97, 99]


def test_the_pair_that_was_learned_first_goes_first():
    assert encode([97, 98, 99], {(98, 99): 256, (97, 98): 257}) == [97, 256]
    assert encode([97, 98, 97, 98, 99], {(98, 99): 256, (97, 98): 257}) == [257, 97, 256]
    assert encode([97, 98, 99, 98, 99], {(97, 98): 256, (98, 99): 257}) == [256, 99, 257]


def test_a_text_without_known_pairs_stays_bytes():
    assert encode([120, 121], {(97, 98): 256}) == [120, 121]
    assert encode([97], {(97, 98): 256}) == [97]
    assert encode([], {(97, 98): 256}) == []


def test_decoding_gives_the_text_back():
    merges = train(list("안녕하세요 안녕".encode("utf-8")), 5)
    ids = encode(list("녕안 hello".encode("utf-8")), merges)
    assert decode(ids, make_vocab(merges)) == "녕안 hello"


class LookUpOnly(dict):
    # GPT-2 has 50,000 merges: too many to go through for each word.
    def __iter__(self):
        raise TypeError("encode goes through all merges")

    keys = values = items = __iter__


def test_merges_are_only_looked_up():
    merges = LookUpOnly({(104, 105): 256, (256, 33): 257})
    assert encode([104, 105, 33, 32], merges) == [257, 32]


# %% figure
def figure(text):
    raw = list(text.encode("utf-8"))
    merges = train(raw, 30)
    vocab = make_vocab(merges)
    other = "the weather is the other matter"
    return [
        tokens(
            f"Tokens of your text: {len(encode(raw, merges))}",
            [vocab[i] for i in encode(raw, merges)],
        ),
        tokens("The same merges on another text", [vocab[i] for i in encode(list(other.encode()), merges)]),
    ]
