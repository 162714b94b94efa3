"""Limits of tokenizer files, each with its reason; they are checked before the work they bound."""

#: Bytes of one file. The largest known, Gemma 3's tokenizer.json, has 33,384,568.
MAX_FILE_BYTES = 40 * 2**20

#: Merges, ranks, or tokens of a table. Llama 3's tokenizer.json has 280,147 merges. tiktoken takes half a
#: second for this many and holds the interpreter meanwhile.
MAX_ENTRIES = 300_000

#: Bytes of one token. o200k's longest has 128; a token learned from repetitive text has thousands.
MAX_TOKEN_BYTES = 2**14

#: Bytes of all tokens. o200k's have 1,397,670; without a limit, 34 doubling merges fill the memory.
MAX_TOTAL_BYTES = 2**24

#: The sum of the squared token lengths in a file of ranks, which bounds the search for their merges. o200k's
#: is 12,818,600; that of four longest tokens is 1,073,741,824.
MAX_SQUARES = 2**30

#: The largest id. tiktoken keeps ids in 32 bits and loops forever if the last one is used.
MAX_ID = 2**31 - 1

#: Special tokens, all of which are searched for in every text. Gemma 3 has 6,415.
MAX_SPECIAL_TOKENS = 10_000

#: Bytes by which SentencePiece's table may replace one character; NFKC replaces U+FDFA by 33.
MAX_NORMALIZED_BYTES = 256

#: Characters of a word that WordPiece cuts, because its work grows with their square; BERT has 100.
MAX_WORDPIECE_CHARS = 200

#: Characters of one special token, including those that a person adds.
MAX_SPECIAL_CHARS = 200
