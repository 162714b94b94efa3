# Count the pairs
#
# Byte-pair encoding (BPE) shortens a list of numbers: it replaces the most frequent pair of neighbours with a new number, again and again. So first count the pairs.
#
# `get_stats(ids)` returns a dict from each pair of neighbours, a tuple, to the number of times it occurs. Pairs are in the order in which they first occur.

# %% stub
def get_stats(ids):
    counts = {}
    # Your code: count each pair of neighbours.
    # The first pair is (ids[0], ids[1]).
    return counts


# %% solution
def get_stats(ids):
    counts = {}
    for pair in zip(ids, ids[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


# %% tests
def test_each_pair_of_neighbours_is_counted():
    assert get_stats([1, 2, 3, 1, 2]) == {(1, 2): 2, (2, 3): 1, (3, 1): 1}


def test_pairs_that_overlap_count_separately():
    assert get_stats([1, 1, 1]) == {(1, 1): 2}


def test_a_list_of_one_number_has_no_pair():
    assert get_stats([7]) == {}
    assert get_stats([]) == {}


def test_pairs_are_in_the_order_in_which_they_first_occur():
    assert list(get_stats([5, 9, 1, 9, 1])) == [(5, 9), (9, 1), (1, 9)]


# %% probes
get_stats([1, 2, 1, 2, 9])
get_stats([1, 2, 3, 1, 2])
get_stats([1, 1, 1])
get_stats([7])
list(get_stats([5, 9, 1, 9, 1]))


# %% mistake: `counts` stays empty. Loop over the positions 0 to `len(ids) - 2`, and add 1 for the pair at each.
def get_stats(ids):
    return {}


# %% mistake: A new pair isn't in the dict yet, so `counts[pair] += 1` raises KeyError. `counts.get(pair, 0)` is 0 for a new pair.
def get_stats(ids):
    counts = {}
    for pair in zip(ids, ids[1:]):
        counts[pair] += 1
    return counts


# %% mistake: The loop goes one place too far: the last number has no neighbour to its right. There are `len(ids) - 1` pairs.
def get_stats(ids):
    counts = {}
    for i in range(len(ids)):
        pair = (ids[i], ids[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


# %% mistake: The last pair is missing: the loop ends too early. There are `len(ids) - 1` pairs.
def get_stats(ids):
    counts = {}
    for i in range(len(ids) - 2):
        pair = (ids[i], ids[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


# %% mistake: You go two places at a time. A number has a neighbour on both sides, so go one place at a time.
def get_stats(ids):
    counts = {}
    for i in range(0, len(ids) - 1, 2):
        pair = (ids[i], ids[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
    return counts


# %% mistake: You skip pairs that overlap. In `[1, 1, 1]` the pair `(1, 1)` occurs twice: at place 0 and at place 1.
def get_stats(ids):
    counts, i = {}, 0
    while i < len(ids) - 1:
        pair = (ids[i], ids[i + 1])
        counts[pair] = counts.get(pair, 0) + 1
        i += 2 if ids[i] == ids[i + 1] and ids[i + 1 : i + 3] == [ids[i]] * 2 else 1
    return counts


# %% mistake: Each pair has the count 1. Add 1 to the count that the pair already has.
def get_stats(ids):
    return {pair: 1 for pair in zip(ids, ids[1:])}


# %% mistake: You count single numbers. The keys are pairs of neighbours: `(ids[i], ids[i + 1])`.
def get_stats(ids):
    return {i: ids.count(i) for i in ids}


# %% mistake: `(1, 3)` and `(3, 1)` are different pairs. Don't sort the two numbers.
def get_stats(ids):
    counts = {}
    for pair in zip(ids, ids[1:]):
        pair = tuple(sorted(pair))
        counts[pair] = counts.get(pair, 0) + 1
    return counts


# %% mistake: The counts are right, but you sort the pairs. Keep the order in which they first occur: it decides between pairs with equal counts.
def get_stats(ids):
    counts = {}
    for pair in zip(ids, ids[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


# %% mistake: The counts are right, but you sort the pairs. Keep the order in which they first occur: it decides between pairs with equal counts.
def get_stats(ids):
    return {pair: list(zip(ids, ids[1:])).count(pair) for pair in sorted(zip(ids, ids[1:]))}


# %% figure
def figure(text):
    counts = get_stats(list(text.encode("utf-8")))
    most = sorted(counts.items(), key=lambda item: -item[1])[:12]
    rows = [([bytes([a]), bytes([b])], n) for (a, b), n in most]
    return [bars("The most frequent pairs of bytes in your text", rows)] if rows else []
