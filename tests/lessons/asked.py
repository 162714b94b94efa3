"""`asked`: the question of a lesson's result, which must have one."""

from playground.lessons.lesson import Question, Shown


def asked(shown: Shown) -> Question:
    assert shown.question is not None, "the lesson asks nothing of this input"
    return shown.question
