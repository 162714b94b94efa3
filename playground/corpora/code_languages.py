"""`language_of`: the language of a file by its name, for tables of a code tree."""

import os

_ENDINGS = """
Ada: .adb .ads
Assembly: .asm .s
Batch: .bat .cmd
C: .c .h
C#: .cs
C++: .cc .cpp .cxx .hh .hpp .hxx
Clojure: .clj .cljs
CMake: .cmake
CSS: .css
CSV: .csv .tsv
CUDA: .cu .cuh
Dart: .dart
Elixir: .ex .exs
Erlang: .erl .hrl
F#: .fs .fsx
Fortran: .f .f90 .for
Go: .go
GraphQL: .graphql .gql
Groovy: .gradle .groovy
Haskell: .hs
HTML: .htm .html
INI: .cfg .conf .ini .properties
Java: .java
JavaScript: .cjs .js .jsx .mjs
JSON: .json .json5 .jsonc .jsonl .ndjson
Julia: .jl
Jupyter: .ipynb
Kotlin: .kt .kts
LaTeX: .bib .cls .sty .tex
Less: .less
Lisp: .cl .el .lisp .scm
Lua: .lua
Markdown: .markdown .md .mdx
MATLAB: .m
Nim: .nim
OCaml: .ml .mli
Perl: .pl .pm
PHP: .php
PowerShell: .ps1 .psm1
Protocol Buffers: .proto
Python: .py .pyi .pyx
R: .r .rmd
reStructuredText: .rst
Ruby: .erb .rb
Rust: .rs
Sass: .sass .scss
Scala: .scala
Shell: .bash .fish .sh .zsh
SQL: .sql
Svelte: .svelte
SVG: .svg
Swift: .swift
Terraform: .tf .tfvars
Text: .log .text .txt
TOML: .toml
TypeScript: .cts .mts .ts .tsx
Vim script: .vim
Vue: .vue
XML: .xml .xsd .xsl
YAML: .yaml .yml
Zig: .zig
"""
_LANGUAGE_OF = {
    ending: language
    for line in _ENDINGS.strip().splitlines()
    for language, _, endings in [line.partition(": ")]
    for ending in endings.split()
}
_NAMED = {"dockerfile": "Dockerfile", "makefile": "Makefile", "cmakelists.txt": "CMake"}


def language_of(path: str) -> str:
    """Return the language that a file's name means, its ending if unknown, or "other".

    >>> language_of("src/main.rs"), language_of("Makefile"), language_of("a.xyz"), language_of("LICENSE")
    ('Rust', 'Makefile', '.xyz', 'other')
    """
    name = os.path.basename(path).lower()
    ending = os.path.splitext(name)[1]
    return _NAMED.get(name) or _LANGUAGE_OF.get(ending) or ending or "other"
