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


# %% probes
train(list(b"aaabdaaabac"), 1)
train(list(b"aaabdaaabac"), 3)
train(list(b"zyzyabab"), 2)
train(list(b"abc"), 10)


# %% mistake: Nothing is learned. In each round, put the most frequent pair of `get_stats(ids)` into `merges`.
def train(ids, n_merges):
    return {}


# %% mistake: When no pair is left, `max()` has nothing to choose from. Stop the loop when `get_stats` returns an empty dict.
def train(ids, n_merges):
    merges = {}
    for i in range(n_merges):
        counts = get_stats(ids)
        pair = max(counts, key=counts.get)
        merges[pair] = 256 + i
        ids = merge(ids, pair, 256 + i)
    return merges


# %% mistake: Each round counts the same list. After choosing a pair, replace `ids` by the merged list; `merge` returns a new one.
def train(ids, n_merges):
    merges = {}
    for i in range(n_merges):
        counts = get_stats(ids)
        pair = max(counts, key=counts.get)
        merges[pair] = 256 + i
        merge(ids, pair, 256 + i)
    return merges


# %% mistake: You take the most frequent pairs of the first count. Count again after each merge, because it changes the pairs.
def train(ids, n_merges):
    counts = get_stats(ids)
    most = sorted(counts, key=lambda pair: -counts[pair])[:n_merges]
    return {pair: 256 + i for i, pair in enumerate(most)}


# %% mistake: Of pairs with equal counts you take the last one. Use `max`, or `>` instead of `>=`, so that the first one wins.
def train(ids, n_merges):
    merges = {}
    for i in range(n_merges):
        counts = get_stats(ids)
        if not counts:
            break
        pair = max(reversed(counts), key=counts.get)
        merges[pair] = 256 + i
        ids = merge(ids, pair, 256 + i)
    return merges


# %% mistake: Of pairs with equal counts you take the one with the larger numbers. Compare the counts only: the first pair wins.
def train(ids, n_merges):
    merges = {}
    for i in range(n_merges):
        counts = get_stats(ids)
        if not counts:
            break
        pair = max(counts, key=lambda pair: (counts[pair], pair))
        merges[pair] = 256 + i
        ids = merge(ids, pair, 256 + i)
    return merges


# %% mistake: You take the largest pair, not the most frequent one. Give `max` the counts as its key: `max(counts, key=counts.get)`.
def train(ids, n_merges):
    merges = {}
    for i in range(n_merges):
        counts = get_stats(ids)
        if not counts:
            break
        pair = max(counts)
        merges[pair] = 256 + i
        ids = merge(ids, pair, 256 + i)
    return merges


# %% mistake: The first new number is 256. The bytes are 0 to 255.
def train(ids, n_merges):
    merges = {}
    for i in range(n_merges):
        counts = get_stats(ids)
        if not counts:
            break
        pair = max(counts, key=counts.get)
        merges[pair] = 257 + i
        ids = merge(ids, pair, 257 + i)
    return merges


# %% mistake: The dict is the wrong way round. Its keys are the pairs, its values the new numbers.
def train(ids, n_merges):
    merges = {}
    for i in range(n_merges):
        counts = get_stats(ids)
        if not counts:
            break
        pair = max(counts, key=counts.get)
        merges[256 + i] = pair
        ids = merge(ids, pair, 256 + i)
    return merges


# %% mistake: You stop at pairs that occur only once. Go on until `get_stats` finds no pair.
def train(ids, n_merges):
    merges = {}
    for i in range(n_merges):
        counts = get_stats(ids)
        pair = max(counts, key=counts.get, default=None)
        if pair is None or counts[pair] < 2:
            break
        merges[pair] = 256 + i
        ids = merge(ids, pair, 256 + i)
    return merges


# %% mistake: Only one merge is learned. Is `return` inside the loop? It belongs after it.
def train(ids, n_merges):
    counts = get_stats(ids)
    return {max(counts, key=counts.get): 256}


# %% mistake: Return only `merges`, not the ids.
def train(ids, n_merges, train=train):
    merges = train(ids, n_merges)
    for pair, new_id in merges.items():
        ids = merge(ids, pair, new_id)
    return ids, merges


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
