"""Which of several pairs with the same count is merged first."""

FIRST_SEEN, LOWEST_PAIR, HUGGING_FACE = 0, 1, 2

TIE_RULES = {
    "first-seen": FIRST_SEEN,  # the one that stands first in the text: karpathy/minbpe
    "lowest-pair": LOWEST_PAIR,  # the one with the lowest ids: rustbpe
    "hugging-face": HUGGING_FACE,  # the same in GPT-2's byte order; equal spellings would share an id
}
