"""The rules found in a character map equal what the library does with each character."""

import io
from pathlib import Path
from typing import Any

import pytest
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer, sentencepiece_model_pb2

from playground.files.charsmap import SpaceRules, space_rules
from tests.catalog.sentencepiece_models import model_bytes


def charsmap_of(title: str) -> bytes:
    found: Any = vars(sentencepiece_model_pb2)["ModelProto"].FromString(model_bytes(title))
    charsmap: bytes = found.normalizer_spec.precompiled_charsmap
    return charsmap


@pytest.mark.parametrize("title", ["bpe, nmt_nfkc", "bpe, lower case, symbols"])
def test_the_library_drops_or_makes_spaces_of_these_characters_alone(title: str) -> None:
    rules = space_rules(charsmap_of(title))
    assert not rules.crosses_space
    processor = SentencePieceProcessor(model_proto=model_bytes(title))
    for code in [*range(0x80, 0x3200), *range(0xFB00, 0x10000), 0x1D7FF, 0x2F800]:
        normalized = processor.normalize(f"x{chr(code)}x").removeprefix("\u2581")
        is_of_space = normalized == "xx" or ("\u2581" in normalized and code != 0x2581)
        assert is_of_space == (chr(code) in rules.characters and code != 0x2581), hex(code)


def test_a_rule_across_a_space_is_found_and_assumed_for_a_damaged_map(tmp_path: Path) -> None:
    rules = tmp_path / "rules.tsv"
    written = {}
    for name, line in (("over", "61 20 62\t78"), ("dropped", "61 62\t"), ("spaced", "E9 62\t61 20 62")):
        rules.write_text(line + "\n")
        model = io.BytesIO()
        SentencePieceTrainer.train(
            sentence_iterator=iter(["the cat"] * 9), model_writer=model, vocab_size=12, minloglevel=2,
            normalization_rule_tsv=str(rules), hard_vocab_limit=False,
        )  # fmt: skip
        found: Any = vars(sentencepiece_model_pb2)["ModelProto"].FromString(model.getvalue())
        written[name] = space_rules(found.normalizer_spec.precompiled_charsmap)
    assert written == {
        "over": SpaceRules(True, frozenset()),
        "dropped": SpaceRules(False, frozenset("ab")),
        "spaced": SpaceRules(False, frozenset("éb")),
    }
    assert space_rules(charsmap_of("bpe, nmt_nfkc")[:4]).crosses_space
    assert space_rules(b"\xff" * 64).crosses_space
