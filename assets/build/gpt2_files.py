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

FILES = {
    "vocab.bpe": "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
    "encoder.json": "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
}
for name, sha256 in FILES.items():
    if not Path(name).exists():  # tiktoken downloads it
        from tiktoken.load import read_file_cached

        url = f"https://openaipublic.blob.core.windows.net/gpt-2/encodings/main/{name}"
        Path(name).write_bytes(read_file_cached(url, sha256))
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


def test_there_are_50000_merges_and_50257_tokens():
    byte_ids, merges, vocab = load_gpt2(VOCAB_BPE, ENCODER)
    assert byte_ids[32] == 220
    assert len(merges) == 50000
    assert len(vocab) == 50257
    assert vocab[50256] == b"<|endoftext|>"


# %% probes
(lambda ids: [ids[b] for b in range(256)])(
    load_gpt2("#version: 0.2\n", {letter: 255 - b for b, letter in BYTE_LETTERS.items()})[0]
)
load_gpt2(
    "#version: 0.2\nĠ t\nĠt h\n",
    {**{letter: 255 - b for b, letter in BYTE_LETTERS.items()}, "Ġt": 256, "Ġth": 257},
)[1]
load_gpt2("#version: 0.2\nĠ t\n", {**{letter: 255 - b for b, letter in BYTE_LETTERS.items()}, "Ġt": 256})[
    2
][256]
load_gpt2("#version: 0.2\nĠ t\n", {**{letter: 255 - b for b, letter in BYTE_LETTERS.items()}, "Ġt": 256})[
    2
][223]
len(load_gpt2("", {**{letter: 255 - b for b, letter in BYTE_LETTERS.items()}, "<|end|>": 256})[2])


# %% mistake: All three are empty. Begin with `byte_ids`: `encoder[BYTE_LETTERS[b]]` for each byte b from 0 to 255.
def load_gpt2(vocab_bpe, encoder):
    return [], {}, {}


# %% mistake: In GPT-2 the id of a byte isn't the byte itself. Look up its letter: `encoder[BYTE_LETTERS[b]]`.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, vocab = load_gpt2(vocab_bpe, encoder)
    return list(range(256)), merges, vocab


# %% mistake: The first line, #version, isn't a merge. Begin with the second line.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, _, vocab = load_gpt2(vocab_bpe, encoder)
    merges = {}
    for line in vocab_bpe.splitlines():
        left, right = line.split(" ")
        merges[encoder[left], encoder[right]] = encoder[left + right]
    return byte_ids, merges, vocab


# %% mistake: The text ends with a line break, so `split("\n")` has an empty last line. Use `splitlines()`, or skip empty lines.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, _, vocab = load_gpt2(vocab_bpe, encoder)
    merges = {}
    for line in vocab_bpe.split("\n")[1:]:
        left, right = line.split(" ")
        merges[encoder[left], encoder[right]] = encoder[left + right]
    return byte_ids, merges, vocab


# %% mistake: The merges are spelled in letters. Look up the ids of both tokens, and of the joined token, in `encoder`.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, _, vocab = load_gpt2(vocab_bpe, encoder)
    pairs = [tuple(line.split(" ")) for line in vocab_bpe.splitlines()[1:]]
    return byte_ids, {pair: 256 + n for n, pair in enumerate(pairs)}, vocab


# %% mistake: The tokens are spelled in letters: Ġ is a space. Turn each letter back into its byte; a dict from letter to byte helps.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, _ = load_gpt2(vocab_bpe, encoder)
    return byte_ids, merges, {i: token.encode("utf-8") for token, i in encoder.items()}


# %% mistake: The merges are missing. Go through the lines after the first, and look up `left`, `right` and `left + right` in `encoder`.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, _, vocab = load_gpt2(vocab_bpe, encoder)
    return byte_ids, {}, vocab


# %% mistake: `byte_ids` and `merges` are right; `vocab` is still missing. Turn each letter of a token back into its byte.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, _ = load_gpt2(vocab_bpe, encoder)
    return byte_ids, merges, {}


# %% mistake: `BYTE_LETTERS` is a dict: a loop over it gives the bytes, not their letters. Take `BYTE_LETTERS[b]` for b from 0 to 255.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, vocab = load_gpt2(vocab_bpe, encoder)
    return [encoder[b] for b in BYTE_LETTERS], merges, vocab


# %% mistake: `byte_ids` has the letters of the bytes. Look up the id of each letter in `encoder`.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, vocab = load_gpt2(vocab_bpe, encoder)
    return [BYTE_LETTERS[b] for b in range(256)], merges, vocab


# %% mistake: A line has two tokens. Split it at the space.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, vocab = load_gpt2(vocab_bpe, encoder)
    for line in vocab_bpe.splitlines()[1:]:
        left, right = line
    return byte_ids, merges, vocab


# %% mistake: `ord("Ġ")` is 288, but Ġ stands for byte 32. Make a dict from letter to byte: `BYTE_LETTERS` the other way round.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, vocab = load_gpt2(vocab_bpe, encoder)
    return byte_ids, merges, {i: bytes(map(ord, token)) for token, i in encoder.items()}


# %% mistake: The tokens in `vocab` are spelled in letters, and must be bytes. Turn each letter back into its byte; a dict from letter to byte helps.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, vocab = load_gpt2(vocab_bpe, encoder)
    return byte_ids, merges, {i: token for token, i in encoder.items()}


# %% mistake: The keys of `vocab` are the ids, its values the bytes.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, vocab = load_gpt2(vocab_bpe, encoder)
    return byte_ids, merges, {token: i for i, token in vocab.items()}


# %% mistake: `make_vocab` gives byte b the id b, which is not so in GPT-2. Turn the letters of each token in `encoder` into bytes.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, vocab = load_gpt2(vocab_bpe, encoder)
    return byte_ids, merges, make_vocab(merges)


# %% mistake: `vocab` has no special token, because no merge makes it. Go through `encoder` instead of the merges.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, vocab = load_gpt2(vocab_bpe, encoder)
    return byte_ids, merges, {i: vocab[i] for i in {*byte_ids, *merges.values()}}


# %% mistake: `chr(b)` is not always the letter of byte b. Take `BYTE_LETTERS[b]`.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    byte_ids, merges, vocab = load_gpt2(vocab_bpe, encoder)
    return [encoder[chr(b)] for b in range(256)], merges, vocab


# %% mistake: `byte_ids` is right. Next, the merges: go through the lines after the first, and look up `left`, `right` and `left + right` in `encoder`.
def load_gpt2(vocab_bpe, encoder, load_gpt2=load_gpt2):
    return load_gpt2(vocab_bpe, encoder)[0], {}, {}


# %% figure
def figure(text):
    byte_ids, merges, vocab = load_gpt2(VOCAB_BPE, ENCODER)
    first = [
        tokens(str(new), [vocab[left], vocab[right]]) for (left, right), new in list(merges.items())[:10]
    ]
    ids = encode_text(text, merges, byte_ids)
    return [tokens(f"Your text in GPT-2's tokens: {len(ids)}", [vocab[i] for i in ids]), *first]
