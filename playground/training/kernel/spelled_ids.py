"""The id of a merged pair: a new one, or under `tokenizers`' rule the one that spells the same bytes."""

import numpy as np

from playground.training.kernel.compiled import inlined
from playground.training.kernel.merge_state import I_LENGTH, I_MADE_AT, I_ORDER, N_IDS, State
from playground.training.kernel.pair_choice import first_place
from playground.training.kernel.tie_rules import HUGGING_FACE


@inlined
def id_for(state: State, pair: int, left_id: int, right_id: int, ties: int) -> tuple[np.int32, bool]:
    """A new id; or, as `tokenizers` does, the one that already spells the same bytes."""
    numbers, ids = state.numbers, state.ids
    new_id = np.int32(numbers[N_IDS])
    length = ids[left_id, I_LENGTH] + ids[right_id, I_LENGTH]
    if ties == HUGGING_FACE:
        raw, spellings = state.raw, state.spellings
        place = first_place(state, pair)
        spelled = np.uint64(14695981039346656037)
        for i in range(place, place + length):
            spelled = (spelled ^ np.uint64(raw[i])) * np.uint64(1099511628211)
        mask = len(spellings) - 1
        row = np.int64(spelled ^ (spelled >> np.uint64(32))) & mask
        while spellings[row]:
            known = spellings[row] - 1
            if ids[known, I_LENGTH] == length:
                same = 0
                while same < length and raw[ids[known, I_MADE_AT] + same] == raw[place + same]:
                    same += 1
                if same == length:
                    return np.int32(known), True
            row = (row + 1) & mask
        spellings[row] = new_id + 1
    ids[new_id, I_LENGTH] = length
    ids[new_id, I_ORDER] = new_id
    numbers[N_IDS] += 1
    return new_id, False
