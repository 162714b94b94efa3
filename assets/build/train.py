# Learn the merges
#
# Training is your two functions in a loop: count the pairs, take the most frequent one, and merge it everywhere. If several pairs have the same count, take the one that occurs first. The first new number is 256, because bytes are 0 to 255; the next is 257, and so on.
#
# `train(ids, n_merges)` returns a dict from each merged pair to its new number, in the order in which they were learned. Stop early when no pair is left.


# %% stub
def train(ids, n_merges):
    merges = {}
    for i in range(n_merges):
        # Your code: count, choose the most frequent pair,
        # give it its new number, and merge it in ids.
        pass
    return merges


# %% solution
def train(ids, n_merges):
    merges = {}
    for i in range(n_merges):
        counts = get_stats(ids)
        if not counts:
            break
        pair = max(counts, key=counts.get)
        merges[pair] = 256 + i
        ids = merge(ids, pair, 256 + i)
    return merges


# %% tests
def test_the_most_frequent_pair_becomes_256():
    assert train(list(b"aaabdaaabac"), 1) == {(97, 97): 256}


def test_later_merges_join_new_numbers_too():
    assert train(list(b"aaabdaaabac"), 3) == {(97, 97): 256, (256, 97): 257, (257, 98): 258}


def test_of_equal_counts_the_first_pair_wins():
    assert train(list(b"zyzyabab"), 2) == {(122, 121): 256, (97, 98): 257}


def test_training_ends_when_no_pair_is_left():
    assert train(list(b"abc"), 10) == {(97, 98): 256, (256, 99): 257}


# %% figure
def figure(text):
    ids = list(text.encode("utf-8"))
    merges = train(ids, 20)
    vocab = {i: bytes([i]) for i in range(256)}
    rows = []
    for (left, right), new_id in merges.items():
        vocab[new_id] = vocab[left] + vocab[right]
        rows.append(tokens(str(new_id), [vocab[left], vocab[right]]))
        ids = merge(ids, (left, right), new_id)
    return [tokens(f"Tokens: {len(ids)}, merges: {len(merges)}", [vocab[i] for i in ids]), *rows]
