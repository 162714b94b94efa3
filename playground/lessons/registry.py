"""`LESSONS`, the table of all lessons in the order of the path; `MOVED`, and `find_lesson`."""

from collections.abc import Mapping

from playground.core.errors import InvalidInputError
from playground.lessons.across_the_space import ACROSS_THE_SPACE
from playground.lessons.attention import ATTENTION
from playground.lessons.back_to_text import BACK_TO_TEXT
from playground.lessons.bpe_by_hand import BPE_BY_HAND
from playground.lessons.byte_patches import BYTE_PATCHES
from playground.lessons.bytes_of_text import BYTES
from playground.lessons.choosing import CHOOSE
from playground.lessons.count_and_merge import COUNT_AND_MERGE
from playground.lessons.cuts import CUTS
from playground.lessons.first_look import FIRST_LOOK
from playground.lessons.gpt4_ladder import BUILD_GPT4
from playground.lessons.journey import JOURNEY
from playground.lessons.languages import LANGUAGES
from playground.lessons.lesson import Lesson
from playground.lessons.loop_of_merges import LOOP
from playground.lessons.lowest_rank import LOWEST_RANK
from playground.lessons.many_encodings import MANY_ENCODINGS
from playground.lessons.numbers_of_digits import NUMBERS
from playground.lessons.oddities import ODDITIES
from playground.lessons.picture_tokens import PICTURES
from playground.lessons.sentence_pieces import SENTENCEPIECE
from playground.lessons.spaces import SPACES
from playground.lessons.specials import SPECIAL_TOKENS
from playground.lessons.spelling import SPELLING
from playground.lessons.three_rules import THREE_RULES
from playground.lessons.unmoved_rows import ROWS_THAT_NEVER_MOVE
from playground.lessons.vocabulary_sizes import VOCABULARY_SIZE
from playground.lessons.who_pays import WHO_PAYS
from playground.lessons.word_neighbours import NEIGHBOURS
from playground.lessons.words import WORDS

#: Each lesson by its slug.
LESSONS: Mapping[str, Lesson] = {
    lesson.slug: lesson
    for lesson in sorted(
        (
            ODDITIES,
            JOURNEY,
            FIRST_LOOK,
            BYTES,
            ATTENTION,
            NUMBERS,
            BPE_BY_HAND,
            COUNT_AND_MERGE,
            LOOP,
            NEIGHBOURS,
            PICTURES,
            BACK_TO_TEXT,
            LOWEST_RANK,
            CUTS,
            CHOOSE,
            SPECIAL_TOKENS,
            BUILD_GPT4,
            SENTENCEPIECE,
            SPELLING,
            SPACES,
            LANGUAGES,
            ROWS_THAT_NEVER_MOVE,
            VOCABULARY_SIZE,
            WORDS,
            THREE_RULES,
            ACROSS_THE_SPACE,
            WHO_PAYS,
            BYTE_PATCHES,
            MANY_ENCODINGS,
        ),
        key=lambda lesson: lesson.number,
    )
}  # fmt: skip

#: Lessons that others took over.
MOVED = {
    "final-test": "journey",
    "letters": "journey",
    "mixture": "who-pays",
    "gpt2-files": "build-gpt4",
    "new-tokens": "vocabulary-size",
    "prompts-edge": "spaces",
}


def find_lesson(slug: str) -> Lesson:
    """Return the lesson with this slug. Raises InvalidInputError.

    >>> find_lesson("bytes").title
    'Text is bytes'
    """
    if slug not in LESSONS:
        raise InvalidInputError(f"unknown lesson {slug!r:.60}; choose from {', '.join(LESSONS)}")
    return LESSONS[slug]
