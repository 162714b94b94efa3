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


# %% figure
def figure(text):
    counts = get_stats(list(text.encode("utf-8")))
    most = sorted(counts.items(), key=lambda item: -item[1])[:12]
    rows = [([bytes([a]), bytes([b])], n) for (a, b), n in most]
    return [bars("The most frequent pairs of bytes in your text", rows)] if rows else []
