"""`completion`: print the program that completes commands and options in a shell."""

import argparse

import shtab

from playground.shell.usage import build_parser


def run(arguments: argparse.Namespace) -> int:
    """Print the completion of `tessera` for the chosen shell."""
    print(shtab.complete(build_parser("tessera"), shell=arguments.shell))
    return 0
