"""Templates are checked: those that are known to keep their prefix, and those that are known not to."""

import pytest

from playground.analysis.chat_templates import OPEN_TEMPLATES, opened_templates
from playground.analysis.template_check import check_template, conversations, describe_template
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.files.tokenizer_config import TokenizerConfig

HEAD = "<|im_start|>{{ m.role }}\n"
LOOP = "{% for m in messages %}"
END = "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"


def checked(body, end=END, merges=(), **options):
    config = TokenizerConfig({"default": LOOP + body + end}, {}, ())
    model = BpeModel(SplitPattern.named("gpt2"), merges, {"<|im_start|>": 300, "<|im_end|>": 301})
    return check_template(
        opened_templates({"x": TrainedTokenizer("x", model, config=config)})["x"], **options
    )


def causes(report):
    return {each.cause for each in report.breaks}


def test_chatml_keeps_each_turn_and_a_text_can_forge_its_roles():
    report = checked(f"{HEAD}{{{{ m.content }}}}<|im_end|>\n")
    assert (report.n_kept, report.breaks, report.forged) == (report.n_turns, (), ("user", "tool"))
    escaped = checked(f"{HEAD}{{{{ m.content | replace('<|', '<') }}}}<|im_end|>\n")
    assert escaped.forged == ()


@pytest.mark.parametrize(
    ("body", "end", "cause"),
    [
        (
            HEAD + "{{ m.content if loop.last else m.content | upper }}", END,
            "an earlier turn is written differently",
        ),
        (HEAD + "{{ m.content }}{{ ' ' if loop.last }}", END, "white space at the end of an answer"),
        (
            HEAD + "{% if loop.last %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}",
            END,
            "the reasoning of an earlier answer was removed",
        ),
        (
            HEAD + "{{ m.content }}", END.replace("assistant", "model"),
            "the prompt for the answer ends in a text that the answer in the history does not have",
        ),
    ],
)  # fmt: skip
def test_what_breaks_the_prefix_is_named(body, end, cause):
    assert cause in causes(checked(body, end))


def test_the_same_text_with_other_tokens_breaks_the_prefix():
    body, end = "{{ m.role }}: {{ m.content }}\n", END.replace("<|im_start|>assistant\n", "assistant: ")
    assert checked(body, end).breaks == ()
    report = checked(body, end, merges=((32, 65, 256),))
    assert causes(report) == {"a merge across the boundary: the same text goes on here, and has other tokens"}
    assert {(each.before[-1], each.old, each.new[0]) for each in report.breaks} == {(" ", "", "A")}


def test_qwen3_and_glm_remove_reasoning_and_deepseek_v3_keeps_its_prefix():
    """As in trl's issues 6320 and 6668: the shipped templates drop <think> of earlier turns."""
    reports = {name: check_template(template) for name, template in OPEN_TEMPLATES.items()}
    assert "the reasoning of an earlier answer was removed" in causes(reports["Qwen3"])
    assert causes(reports["GLM-4.5"]) == {"the reasoning of an earlier answer was removed"}
    assert reports["DeepSeek-V3"].breaks == ()
    assert "72 of 144 turns in 54 conversations stay a prefix" in describe_template(reports["Qwen3"])


def test_refusals_and_marks_for_training_are_reported():
    refusing = checked("{% if m.role == 'tool' %}{{ raise_exception('no tools') }}{% endif %}{{ m.content }}")
    assert len(refusing.refused) == sum(bool(each.tools) for each in conversations())
    assert "no tools" in refusing.refused[0][1]
    assert not refusing.has_generation
    marked = checked("{% generation %}{{ m.content }}{% endgeneration %}")
    assert (marked.has_generation, marked.n_trained) == (True, None)


def test_trained_tokens_and_rows_that_are_cut_before_their_answer_are_counted():
    """Each byte is a token here: 108 answers of 9 bytes and 36 calls without text, each with two signs."""
    report = checked(f"{HEAD}{{{{ m.content }}}}<|im_end|>\n", cut_at=60)
    assert report.n_trained == 108 * (9 + 2) + 36 * 2
    assert len("?user\nQuestion 1?") + 2 + len("?assistant\n") < 60
    assert "no system prompt, no reasoning, no tools, one answer" not in report.lost
    assert "a system prompt, no reasoning, no tools, three answers" in report.lost
    for cut_at, n_lost in ((1, 54), (10_000, 0)):
        assert len(checked(f"{HEAD}{{{{ m.content }}}}<|im_end|>\n", cut_at=cut_at).lost) == n_lost
    assert "without the last answer when cut at 60 tokens" in describe_template(report)
