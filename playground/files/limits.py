"""How large a tokenizer file may be, each limit with its reason; all are asked before the work they bound."""

#: Bytes of one file. The largest known, Gemma 3's tokenizer.json, has 33,384,568.
MAX_FILE_BYTES = 40 * 2**20

#: Merges, ranks, or tokens of a table. Llama 3's tokenizer.json has 280,147 merges. tiktoken takes half a
#: second for so many, and lets nobody else be served meanwhile.
MAX_ENTRIES = 300_000

#: Bytes of one token. o200k's longest has 128; one learned from a text that repeats itself has thousands.
MAX_TOKEN_BYTES = 2**14

#: Bytes of all tokens. o200k's have 1,397,670; without a limit 34 merges that double fill the memory.
MAX_TOTAL_BYTES = 2**24

#: Of a file of ranks: the squares of its tokens' lengths added up, for so much work may the search for their
#: merges be. o200k's have 12,818,600, and four of the longest tokens 1,073,741,824.
MAX_SQUARES = 2**30

#: The largest id. tiktoken keeps ids in 32 bits and never ends where the last of them is used.
MAX_ID = 2**31 - 1

#: Special tokens. Gemma 3 has 6,415; all of them are searched in every text.
MAX_SPECIAL_TOKENS = 10_000

#: Bytes that a table of SentencePiece may make of one character; NFKC makes 33 of U+FDFA.
MAX_NORMALIZED_BYTES = 256

#: Characters of a word that WordPiece takes apart, for its work grows with their square; BERT has 100.
MAX_WORDPIECE_CHARS = 200

#: Characters of one special token, also of those that a person adds.
MAX_SPECIAL_CHARS = 200
