"""The targets of `python -m benchmarks.fuzz`: random cases, and checks that raise an exception for a fault.

Tests of the suite draw a few of the same cases; a finding becomes an `@example` of one of them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.analysis.any_template import mutated_configs, open_and_chat
from tests.bpe.any_pattern import check_pattern, patterns
from tests.catalog.any_file import check_file, json_files, sentencepiece_files
from tests.catalog.mutated_library_files import mutated_documents, mutated_models, open_and_use
from tests.corpora.any_rows import changed_files, check_rows
from tests.files.mutated_files import mutated_files, read_and_use
from tests.formats import any_data
from tests.server.test_any_request import ACTIONS, api_calls, check_call, check_conversation, conversations


class Target(NamedTuple):
    """Cases whose `repr` is Python code, and a check that raises an exception for a fault."""

    cases: st.SearchStrategy[Any]
    check: Callable[[Any], object]


TARGETS = {
    "API bodies": Target(api_calls(), lambda case: check_call(*case)),
    **{
        f"{kind} messages": Target(conversations(kind), lambda case: check_conversation(*case))
        for kind in ACTIONS
    },
    "tokenizer files": Target(mutated_files(), read_and_use),
    "SentencePiece models": Target(mutated_models(), open_and_use),
    "files of tokenizers": Target(mutated_documents(), open_and_use),
    "a tokenizer.json and its library": Target(json_files(), check_file),
    "SentencePiece and its library": Target(sentencepiece_files(), check_file),
    "chat templates": Target(mutated_configs(), open_and_chat),
    "rows of a corpus": Target(changed_files(), lambda case: check_rows(*case)),
    "texts of data": Target(any_data.documents(), lambda case: any_data.check_document(*case)),
    "data": Target(any_data.conversions(), lambda case: any_data.check_conversion(*case)),
    "split patterns": Target(patterns(), lambda case: check_pattern(*case)),
}
