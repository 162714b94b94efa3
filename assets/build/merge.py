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


# %% probes
merge([1, 2, 3, 1, 2], (1, 2), 4)
merge([1, 1, 1], (1, 1), 4)
merge([2, 1, 2], (1, 2), 4)
merge([5, 6, 7], (1, 2), 4)
merge([1], (1, 2), 4)
(lambda ids: (merge(ids, (1, 2), 4), ids))([1, 2, 3])


# %% mistake: `merged` stays empty. Append something in each round: `new_id` if the pair begins here, else `ids[i]`.
def merge(ids, pair, new_id):
    return []


# %% mistake: You keep all numbers and replace none. Compare `(ids[i], ids[i + 1])` with the pair; it is a tuple, and a list never equals a tuple.
def merge(ids, pair, new_id):
    return list(ids)


# %% mistake: At the last number there is no `ids[i + 1]`. Check `i + 1 < len(ids)` first.
def merge(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids):
        if (ids[i], ids[i + 1]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


# %% mistake: At the last number there is no `ids[i + 1]`. It is read whenever the last number equals `pair[0]`, so check `i + 1 < len(ids)` first.
def merge(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids):
        if ids[i] == pair[0] and ids[i + 1] == pair[1]:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


# %% mistake: After a merge you go on inside the pair, so its second number is used again. Go two places on.
def merge(ids, pair, new_id):
    merged = []
    for i in range(len(ids)):
        merged.append(new_id if tuple(ids[i : i + 2]) == pair else ids[i])
    return merged


# %% mistake: The last number is lost if no pair ends with it. Keep it.
def merge(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


# %% mistake: Only the first occurrence is replaced. Go on to the end of the list.
def merge(ids, pair, new_id):
    for i in range(len(ids) - 1):
        if (ids[i], ids[i + 1]) == pair:
            return [*ids[:i], new_id, *ids[i + 2 :]]
    return list(ids)


# %% mistake: The numbers that are not part of a pair are lost. Append `ids[i]` when the pair doesn't begin here.
def merge(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
            i += 1
        i += 1
    return merged


# %% mistake: You merge from the right. In `[1, 1, 1]` the first two numbers are merged, not the last two.
def merge(ids, pair, new_id):
    merged, i = [], len(ids) - 1
    while i >= 0:
        if i > 0 and (ids[i - 1], ids[i]) == pair:
            merged.insert(0, new_id)
            i -= 2
        else:
            merged.insert(0, ids[i])
            i -= 1
    return merged


# %% mistake: The result is right, but your function changes the list that it is given. Build a new list instead.
def merge(ids, pair, new_id):
    i = 0
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) == pair:
            ids[i : i + 2] = [new_id]
        i += 1
    return ids


# %% mistake: After a merge you go on three places: the `i += 1` at the end runs too. Put it in an `else`.
def merge(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
            i += 2
        else:
            merged.append(ids[i])
        i += 1
    return merged


# %% mistake: A for loop visits each place, also the second number of a pair that you have merged, and `range(len(ids) - 1)` leaves out the last number. Use `while`: go on two places after a merge, else one.
def merge(ids, pair, new_id):
    merged = []
    for i in range(len(ids) - 1):
        merged.append(new_id if (ids[i], ids[i + 1]) == pair else ids[i])
    return merged


# %% mistake: You delete from `ids` while a loop goes through it, so its places no longer exist. Build a new list, and leave `ids` as it is.
def merge(ids, pair, new_id):
    for i in range(len(ids) - 1):
        if (ids[i], ids[i + 1]) == pair:
            ids[i : i + 2] = [new_id]
    return ids


# %% mistake: After a merge, `ids[i]` is appended too. Put that into an `else`.
def merge(ids, pair, new_id):
    merged, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            merged.append(new_id)
            i += 2
        merged.append(ids[i])
        i += 1
    return merged


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
