"""Tiny random models in GGUF, written with llama.cpp's own library."""

from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize

from playground.bpe.gpt2_bytes import GPT2_BYTE_ORDER, to_gpt2_characters

MERGES = ["t h", "Ġ th", "Ġth e", "i n", "o n", "Ġ a"]
SHAPE = {"layers": 2, "heads": 4, "key_heads": 2, "width": 64, "hidden": 96, "context": 64}


def write_tiny_model(
    path: Path,
    *,
    kind: GGMLQuantizationType = GGMLQuantizationType.F32,
    has_output: bool = False,
    has_factors: bool = False,
    architecture: str = "llama",
    more: dict[str, int | str] | None = None,
    extra: dict[str, tuple[int, ...]] | None = None,
    without: str = "",
    **changed: int,
) -> Path:
    """Write a model with random weights, the same every time; matrices are stored as `kind`."""
    size = SHAPE | changed
    random = np.random.RandomState(7)
    tokens = [to_gpt2_characters(bytes([byte])) for byte in GPT2_BYTE_ORDER]
    tokens += [merge.replace(" ", "") for merge in MERGES] + ["<|endoftext|>"]
    width, head = size["width"], size["width"] // size["heads"]
    writer = GGUFWriter(path, architecture)
    writer.add_block_count(size["layers"])
    writer.add_context_length(size["context"])
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(size["hidden"])
    writer.add_head_count(size["heads"])
    writer.add_head_count_kv(size["key_heads"])
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(head)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * (len(tokens) - 1) + [3])
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(len(tokens) - 1)
    writer.add_eos_token_id(len(tokens) - 1)
    writer.add_add_bos_token(False)
    for key, value in (more or {}).items():
        add: Any = writer.add_string if isinstance(value, str) else writer.add_uint32
        add(key, value)
    shapes: dict[str, tuple[int, ...]] = {"token_embd": (len(tokens), width), "output_norm": (width,)}
    if has_output:
        shapes["output"] = (len(tokens), width)
    if has_factors:
        shapes["rope_freqs"] = (head // 2,)
    for layer in range(size["layers"]):
        key_width, hidden = size["key_heads"] * head, size["hidden"]
        shapes |= {
            f"blk.{layer}.{name}": shape
            for name, shape in {
                "attn_norm": (width,), "attn_q": (width, width), "attn_k": (key_width, width),
                "attn_v": (key_width, width), "attn_output": (width, width), "ffn_norm": (width,),
                "ffn_gate": (hidden, width), "ffn_up": (hidden, width), "ffn_down": (width, hidden),
            }.items()
        }  # fmt: skip
    for name, shape in (shapes | (extra or {})).items():
        values = random.standard_normal(shape).astype(np.float32)
        values = 1 + abs(values) if len(shape) == 1 else values * np.float32(2 / np.sqrt(shape[-1]))
        if name == without:
            continue
        if len(shape) == 1 or kind is GGMLQuantizationType.F32:
            writer.add_tensor(f"{name}.weight", values)
        else:
            writer.add_tensor(f"{name}.weight", quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
