# Equals tiktoken
#
# Put it together. `gpt2_encode(text)` returns the ids of a text, with GPT-2's merges and special token. `gpt2_decode(ids)` returns the text of ids.
#
# The tests compare your ids with those of tiktoken, OpenAI's own library. Then fresh random texts are drawn, and the page compares your ids with tiktoken's for each of them, and for your own text. If all agree, you have built GPT-2's tokenizer.


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


# %% tests
def test_english_has_the_ids_of_tiktoken():
    text = "Isn't 2024's tokenization   fun?!"
    assert gpt2_encode(text) == [41451, 470, 48609, 338, 11241, 1634, 220, 220, 1257, 12248]


def test_korean_and_an_emoji_have_the_ids_of_tiktoken():
    text = '안녕 👋 (hello!)'
    assert gpt2_encode(text) == [168, 243, 230, 167, 227, 243, 50169, 233, 357, 31373, 8133]


def test_the_special_token_has_the_id_of_tiktoken():
    text = 'The end.<|endoftext|>Once upon a time'
    assert gpt2_encode(text) == [464, 886, 13, 50256, 7454, 2402, 257, 640]


def test_code_has_the_ids_of_tiktoken():
    text = 'for i in range(10):\n\tprint(f"{i:>4}")\n'
    assert gpt2_encode(text) == [1640, 1312, 287, 2837, 7, 940, 2599, 198, 197, 4798, 7, 69, 1, 90, 72, 25, 29, 19, 92, 4943, 198]


def test_decoding_gives_the_text_back():
    text = "naïve 京都, isn't it? 👋\n"
    assert gpt2_decode(gpt2_encode(text)) == text
    assert gpt2_decode([1]) == '"'


# %% figure
def figure(text):
    ids = gpt2_encode(text)
    return [tokens(f"Your tokens: {len(ids)}", [VOCAB[i] for i in ids])]
