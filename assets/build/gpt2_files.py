# GPT-2's files
#
# GPT-2's merges and ids are in two files. `vocab.bpe` has a version line, then one merge a line: two tokens with a space between them, such as `Ġ t`. `encoder.json` is a dict from each token to its id. In both files a token is spelled with one letter for each byte: `Ġ` is the space. `BYTE_LETTERS[b]` is the letter of byte `b`.
#
# `load_gpt2(vocab_bpe, encoder)` is called with the text of `vocab.bpe` and the dict of `encoder.json`. It returns what your functions need: `byte_ids`, a list with the ids of the bytes 0 to 255; `merges`, a dict from each pair of ids to its new id, like that of `train`; and `vocab`, a dict from each id to its bytes, like that of `make_vocab`.


# %% given
import json
from pathlib import Path

# GPT-2's letter for each byte: itself if it is printable, else a letter from 256 on.
PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
OTHERS = [b for b in range(256) if b not in PRINTABLE]
BYTE_LETTERS = {b: chr(b) for b in PRINTABLE} | {b: chr(256 + n) for n, b in enumerate(OTHERS)}

for name in ("vocab.bpe", "encoder.json"):
    if not Path(name).exists():
        raise FileNotFoundError(f"{name} is not in this folder. The page Build saves it with the notebooks.")
VOCAB_BPE = Path("vocab.bpe").read_text(encoding="utf-8")
ENCODER = json.loads(Path("encoder.json").read_text(encoding="utf-8"))


# %% stub
def load_gpt2(vocab_bpe, encoder):
    # Your code: look up the id of each byte's letter.
    byte_ids = []
    # Your code: each line after the first is a merge. Look up
    # the ids of its two tokens, and of the joined token.
    merges = {}
    # Your code: turn the letters of each token into bytes.
    vocab = {}
    return byte_ids, merges, vocab


# %% solution
def load_gpt2(vocab_bpe, encoder):
    byte_ids = [encoder[BYTE_LETTERS[b]] for b in range(256)]
    merges = {}
    for line in vocab_bpe.splitlines()[1:]:
        left, right = line.split(" ")
        merges[encoder[left], encoder[right]] = encoder[left + right]
    byte_of = {letter: b for b, letter in BYTE_LETTERS.items()}
    vocab = {i: bytes(byte_of[letter] for letter in token) for token, i in encoder.items()}
    return byte_ids, merges, vocab


# %% tests
LETTERS = {BYTE_LETTERS[b]: 255 - b for b in range(256)}


def test_the_id_of_a_byte_is_the_id_of_its_letter():
    byte_ids, merges, vocab = load_gpt2("#version: 0.2\n", LETTERS)
    assert byte_ids[0] == 255
    assert [byte_ids[b] for b in b" the"] == [223, 139, 151, 154]
    assert len(byte_ids) == 256


def test_a_line_is_a_merge():
    encoder = {**LETTERS, "Ġt": 256, "Ġth": 257}
    assert load_gpt2("#version: 0.2\nĠ t\nĠt h\n", encoder)[1] == {(223, 139): 256, (256, 151): 257}


def test_tokens_are_bytes():
    vocab = load_gpt2("#version: 0.2\nĠ t\n", {**LETTERS, "Ġt": 256})[2]
    assert vocab[256] == b" t"
    assert vocab[223] == b" "
    assert [vocab[255 - b] for b in range(256)] == [bytes([b]) for b in range(256)]


def test_there_are_50000_merges_and_50257_tokens():
    byte_ids, merges, vocab = load_gpt2(VOCAB_BPE, ENCODER)
    assert byte_ids[32] == 220
    assert len(merges) == 50000
    assert len(vocab) == 50257
    assert vocab[50256] == b"<|endoftext|>"


# %% figure
def figure(text):
    byte_ids, merges, vocab = load_gpt2(VOCAB_BPE, ENCODER)
    first = [
        tokens(str(new), [vocab[left], vocab[right]]) for (left, right), new in list(merges.items())[:10]
    ]
    ids = encode_text(text, merges, byte_ids)
    return [tokens(f"Your text in GPT-2's tokens: {len(ids)}", [vocab[i] for i in ids]), *first]
