"""The special tokens around a text are those that the model's own library adds."""

import pytest
import tokenizers
from tokenizers import processors

from playground.catalog.around_text import around_text
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.registry import get_tokenizer
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.catalog.wordpiece import WordPieceTokenizer
from playground.files.library_file import LibraryFile
from tests.catalog.tokenizer_documents import DOCUMENTS, document

TEXT = "the cat  sat, naïve"
PROCESSORS = {
    "nothing": None,
    "a start": processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)]),
    "tokens of several ids": processors.TemplateProcessing(
        single="<s> $A <e> </s>",
        special_tokens=[("<s>", 1), {"id": "<e>", "ids": [2, 0], "tokens": ["</s>", "<unk>"]}, ("</s>", 2)],
    ),
    "BERT": processors.BertProcessing(("</s>", 2), ("<s>", 1)),
    "RoBERTa": processors.RobertaProcessing(("</s>", 2), ("<s>", 1), trim_offsets=False),
    "a sequence": processors.Sequence(
        [
            processors.ByteLevel(),
            processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)]),
        ]
    ),
}


def _expect_the_librarys(raw: bytes, library: tokenizers.Tokenizer) -> None:
    library.no_truncation()
    library.no_padding()
    library.encode_special_tokens = True
    opened = TokenizerJsonFile("mine", LibraryFile.of("tokenizer.json", raw))
    around = around_text(with_own_special_tokens(opened, ["<own>"]))
    before, after = (around.before, around.after) if around else ((), ())
    assert [*before, *opened.encode(TEXT), *after] == library.encode(TEXT).ids


@pytest.mark.parametrize("name", PROCESSORS)
def test_a_post_processor_adds_the_librarys_tokens(name):
    library = tokenizers.Tokenizer.from_str(document(next(iter(DOCUMENTS))).decode())
    library.post_processor = PROCESSORS[name]
    _expect_the_librarys(library.to_str().encode(), library)


@pytest.mark.parametrize("title", DOCUMENTS)
def test_tokens_around_a_text_are_the_librarys_in_files_of_every_kind(title):
    raw = document(title)
    _expect_the_librarys(raw, tokenizers.Tokenizer.from_str(raw.decode()))


def test_berts_vocabulary_gets_its_class_and_separator():
    bert = get_tokenizer("bert_uncased")
    assert isinstance(bert, WordPieceTokenizer)
    library = tokenizers.BertWordPieceTokenizer(vocab={spelled: n for n, spelled in enumerate(bert.pieces)})
    around = around_text(bert)
    assert around is not None
    assert [*around.before, *bert.encode(TEXT), *around.after] == library.encode(TEXT).ids
    assert around_text(get_tokenizer("gpt2")) is None
