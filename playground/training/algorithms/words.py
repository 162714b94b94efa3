"""Words: counted words as rows of cells, in which pairs of neighbouring tokens are counted and merged.

All words stand in one list with a gap between two. A token stays in the cells of its symbols, so a place
never moves, and a merge looks only at the places of its pair. A pair is one number, `left << 20 | right`, so
that comparing two pairs compares their ids.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from typing import NamedTuple

#: Ids that a pair has room for.
MAX_IDS = 1 << 20
#: What stands between two words.
GAP = -1


class MergeEvent(NamedTuple):
    """A merge: the ids of its pair and of its token, the pair's count, and the tokens of both texts after it.

    Overlaps count: "aaa" has two pairs and merges one. `n_held_out` is 0 without held-out text.
    """

    left: int
    right: int
    new: int
    pair_count: int
    n_tokens: int
    n_held_out: int


def lowest_pair(_words: "Words", pair: int) -> int:
    """Order pairs with equal counts by their ids."""
    return pair


def first_seen(words: "Words", pair: int) -> int:
    """Order pairs with equal counts by the first place where each stands now."""
    return words.first_place(pair)


class Words:
    """Words with their pairs; the most frequent pair is on top of a heap.

    Each word comes as its symbols with its counts in the training and in the held-out text, in the order of
    the text. Of equally frequent pairs the one with the lowest `tie` is first. Until a merge gains a pair,
    its count only falls and its place only rises: an outdated entry of the heap is corrected on top.

    >>> words = Words([(b"aaabdaaabac", 1, 0)], 256)
    >>> pair = words.most_frequent()
    >>> pair >> 20, pair % MAX_IDS, words.pairs[pair]
    (97, 97, 4)
    >>> _gained = words.merge(pair, 256)
    >>> words.n_tokens, words.pairs[256 << 20 | 97]
    (9, 2)
    """

    def __init__(
        self,
        words: Iterable[tuple[Sequence[int], int, int]],
        n_symbols: int,
        *,
        min_count: int = 1,
        tie: Callable[["Words", int], int] = lowest_pair,
        may_merge: Callable[[int], bool] = lambda _pair: True,
    ) -> None:
        self.n_tokens = self.n_held_out = 0
        self._starting = [GAP]  # for each cell, the token that starts in it
        self._counts = [(0, 0)]  # for each cell, the counts of its word in both texts
        self._sizes = [1] * n_symbols  # for each token, its number of cells
        self._min_count, self._tie, self._may_merge = min_count, tie, may_merge
        for symbols, count, held_out in words:
            self._starting += symbols
            self._starting.append(GAP)
            self._counts += [(count, held_out)] * (len(symbols) + 1)
            self.n_tokens += count * len(symbols)
            self.n_held_out += held_out * len(symbols)
        self._ending = self._starting.copy()  # for each cell, the token that ends in it
        self.pairs: defaultdict[int, int] = defaultdict(int)  # the count of each pair in the training text
        self._places: defaultdict[int, list[int]] = defaultdict(list)  # where pairs stand or stood, in order
        neighbours = zip(self._starting, self._starting[1:], self._counts, strict=False)
        for place, (left, right, (count, _)) in enumerate(neighbours):
            if left != GAP and right != GAP:
                pair = left << 20 | right
                self.pairs[pair] += count
                self._places[pair].append(place)
        self._heap: list[tuple[int, int, int]] | None = None  # made when the first pair is asked for

    @property
    def n_ids(self) -> int:
        """The number of symbols and of tokens made so far."""
        return len(self._sizes)

    def count_tokens(self) -> list[int]:
        """Return how often each token occurs in the training text now."""
        uses = [0] * self.n_ids
        for token, (count, _held_out) in zip(self._starting, self._counts, strict=True):
            if token != GAP:
                uses[token] += count
        return uses

    def most_frequent(self) -> int | None:
        """Return the next pair to merge, or None if no pair is frequent enough."""
        heap = self._made_heap()
        while heap:
            entry = heap[0]
            pair = entry[-1]
            if not self._is_candidate(pair):
                heappop(heap)
            elif (now := self._entry(pair)) != entry:
                heapreplace(heap, now)
            else:
                return pair
        return None

    def most_frequent_pairs(self, n_pairs: int) -> list[int]:
        """Return the pairs that would be merged next if no merge changed their counts."""
        found: list[int] = []
        heap = self._made_heap()
        taken = []
        while len(found) < n_pairs and (pair := self.most_frequent()) is not None:
            taken.append(heappop(heap))
            if pair not in found:
                found.append(pair)
        for entry in taken:
            heappush(heap, entry)
        return found

    def merge(self, pair: int, new: int) -> set[int]:
        """Replace a pair by a token wherever it stands, from the left; return the pairs gained."""
        left, right = pair >> 20, pair % MAX_IDS
        starting, ending, pairs, places = self._starting, self._ending, self.pairs, self._places
        size, n_cells = self._sizes[left], self._sizes[left] + self._sizes[right]
        if new == len(self._sizes):
            self._sizes.append(n_cells)
        gained: set[int] = set()
        for place in places.pop(pair, ()):
            middle, end = place + size, place + n_cells
            if starting[place] != left or starting[middle] != right:
                continue  # an earlier merge took one of the two tokens
            count, held_out = self._counts[place]
            self.n_tokens -= count
            self.n_held_out -= held_out
            if (before := ending[place - 1]) != GAP:
                pairs[before << 20 | left] -= count
                pairs[joined := before << 20 | new] += count
                places[joined].append(place - self._sizes[before])
                gained.add(joined)
            if (after := starting[end]) != GAP:
                pairs[right << 20 | after] -= count
                pairs[joined := new << 20 | after] += count
                places[joined].append(place)
                gained.add(joined)
            starting[place] = ending[end - 1] = new
            starting[middle] = GAP
        pairs.pop(pair, None)
        self._push(gained)
        return gained

    def _push(self, pairs: Iterable[int]) -> None:
        """Put pairs that occur more often now into the heap."""
        if self._heap is not None:
            for pair in filter(self._is_candidate, pairs):
                heappush(self._heap, self._entry(pair))

    def first_place(self, pair: int) -> int:
        """Return the first place where a pair stands; places that it has lost before are forgotten."""
        left, right = pair >> 20, pair % MAX_IDS
        size, places = self._sizes[left], self._places[pair]
        for n_lost, place in enumerate(places):
            if self._starting[place] == left and self._starting[place + size] == right:
                del places[:n_lost]
                return place
        raise ValueError(f"the pair {left}, {right} stands nowhere")

    def _made_heap(self) -> list[tuple[int, int, int]]:
        if self._heap is None:
            self._heap = [self._entry(pair) for pair in filter(self._is_candidate, self.pairs)]
            heapify(self._heap)
        return self._heap

    def _is_candidate(self, pair: int) -> bool:
        return self.pairs.get(pair, 0) >= self._min_count and self._may_merge(pair)

    def _entry(self, pair: int) -> tuple[int, int, int]:
        return -self.pairs[pair], self._tie(self, pair), pair
