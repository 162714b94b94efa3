# Equals tiktoken
#
# Put it together. `gpt2_encode(text)` returns the ids of a text, with GPT-2's merges and special token. `gpt2_decode(ids)` returns the text of ids.
#
# The tests compare your ids with those of tiktoken, OpenAI's own library, for five texts and for your own. If they agree, you have built GPT-2's tokenizer.

# %% stub
BYTE_IDS, MERGES, VOCAB = load_gpt2(VOCAB_BPE, ENCODER)
SPECIAL = {"<|endoftext|>": 50256}

def gpt2_encode(text):
    return []

def gpt2_decode(ids):
    return ""

# %% solution
BYTE_IDS, MERGES, VOCAB = load_gpt2(VOCAB_BPE, ENCODER)
SPECIAL = {"<|endoftext|>": 50256}

def gpt2_encode(text):
    return encode_special(text, MERGES, SPECIAL, BYTE_IDS)

def gpt2_decode(ids):
    return decode(ids, VOCAB)

# %% texts
Hello world
Isn't 2024's tokenization   fun?!
안녕하세요 👋 (hello in Korean!)
The end.<|endoftext|>Once upon a time
for i in range(10):\n\tprint(f"{i:>4}")\n

# %% tests
def test_english_has_the_ids_of_tiktoken():
    assert gpt2_encode("Hello world") == tiktoken_encode("Hello world")
    text = "Isn't 2024's tokenization   fun?!"
    assert gpt2_encode(text) == tiktoken_encode(text)

def test_korean_and_an_emoji_have_the_ids_of_tiktoken():
    text = "안녕하세요 👋 (hello in Korean!)"
    assert gpt2_encode(text) == tiktoken_encode(text)

def test_the_special_token_has_the_id_of_tiktoken():
    text = "The end.<|endoftext|>Once upon a time"
    assert gpt2_encode(text) == tiktoken_encode(text)

def test_code_has_the_ids_of_tiktoken():
    text = 'for i in range(10):\n\tprint(f"{i:>4}")\n'
    assert gpt2_encode(text) == tiktoken_encode(text)

def test_your_text_has_the_ids_of_tiktoken():
    assert gpt2_encode(TEXT) == tiktoken_encode(TEXT)

def test_decoding_gives_your_text_back():
    assert gpt2_decode(gpt2_encode(TEXT)) == TEXT
    assert gpt2_decode([1]) == '"'

# %% probes
gpt2_encode("Hello world")
gpt2_encode("The end.<|endoftext|>")
gpt2_decode([15496, 995])
gpt2_decode([1])

# %% mistake: Both functions are empty. You have written all parts: call `encode_special` with the merges, the special tokens and the ids of the bytes, and `decode` with the vocabulary.
def gpt2_encode(text):
    return []
def gpt2_decode(ids):
    return ""

# %% mistake: Encoding is right. For decoding, use your decode with GPT-2's vocabulary.
def gpt2_decode(ids):
    return ""

# %% mistake: GPT-2's bytes have ids of their own. Pass `BYTE_IDS` to your function.
def gpt2_encode(text):
    return encode_special(text, MERGES, SPECIAL)

# %% mistake: `<|endoftext|>` is encoded as ordinary text. Use `encode_special` with `SPECIAL`.
def gpt2_encode(text):
    return encode_text(text, MERGES, BYTE_IDS)

# %% mistake: `make_vocab`'s ids 0 to 255 are the bytes themselves, and GPT-2's are not. Decode with `VOCAB`.
def gpt2_decode(ids):
    return decode(ids, make_vocab(MERGES))

# %% mistake: `encode` takes the ids of one piece's bytes, not a text. Use `encode_special`, which splits the text and encodes the pieces.
def gpt2_encode(text):
    return encode(text, MERGES)

# %% mistake: Mind the order: `encode_special(text, MERGES, SPECIAL, BYTE_IDS)`.
def gpt2_encode(text):
    return encode_special(text, SPECIAL, MERGES, BYTE_IDS)

# %% mistake: `decode` takes the vocabulary, which is `VOCAB`.
def gpt2_decode(ids):
    return decode(ids, MERGES)


# %% figure
def figure(text):
    ids = gpt2_encode(text)
    return [
        tokens(f"Your tokens: {len(ids)}", [VOCAB[i] for i in ids]),
        tokens(f"tiktoken's tokens: {len(tiktoken_encode(text))}", [VOCAB[i] for i in tiktoken_encode(text)]),
    ]
