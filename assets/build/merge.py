# Merge a pair
#
# Now replace a pair with a new number. `merge(ids, pair, new_id)` returns a new list in which each occurrence of the pair, from the left, is one `new_id`.
#
# A number can be part of only one occurrence: `[1, 1, 1]` has one merge of `(1, 1)`, and its last 1 stays.


# %% stub
def merge(ids, pair, new_id):
    merged = []
    i = 0
    while i < len(ids):
        # Your code: does the pair begin at i?
        # If so, append new_id and go on after the pair.
        # If not, append ids[i].
        i += 1
    return merged


# %% solution
def merge(ids, pair, new_id):
    merged = []
    i = 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


# %% tests
def test_each_occurrence_becomes_the_new_number():
    assert merge([1, 2, 3, 1, 2], (1, 2), 4) == [4, 3, 4]


def test_the_rest_stays_as_it_is():
    assert merge([5, 6, 7], (1, 2), 4) == [5, 6, 7]
    assert merge([1, 3, 2], (1, 2), 4) == [1, 3, 2]


def test_a_number_is_part_of_one_occurrence_only():
    assert merge([1, 1, 1], (1, 1), 4) == [4, 1]


def test_the_pair_has_an_order():
    assert merge([2, 1, 2], (1, 2), 4) == [2, 4]


def test_short_lists_have_nothing_to_merge():
    assert merge([1], (1, 2), 4) == [1]
    assert merge([], (1, 2), 4) == []


def test_the_given_list_is_not_changed():
    ids = [1, 2, 3]
    merge(ids, (1, 2), 4)
    assert ids == [1, 2, 3]


# %% figure
def figure(text):
    ids = list(text.encode("utf-8"))
    counts = get_stats(ids)
    if not counts:
        return []
    pair = max(counts, key=counts.get)
    vocab = {i: bytes([i]) for i in range(256)}
    vocab[256] = vocab[pair[0]] + vocab[pair[1]]
    after = merge(ids, pair, 256)
    return [
        tokens(f"Bytes: {len(ids)}", [vocab[i] for i in ids]),
        tokens(f"Tokens after one merge: {len(after)}", [vocab[i] for i in after], lit=vocab[256]),
    ]
