"""`completion`: print the program that completes commands, options and names in a shell."""

import click
from click.shell_completion import shell_complete

from playground.shell.commands import TESSERA, Arguments, command
from playground.shell.main import COMPLETE


@command(
    "completion",
    "tessera completion bash > ~/.local/share/bash-completion/completions/tessera",
    "tessera completion fish > ~/.config/fish/completions/tessera.fish",
    notes="For zsh, save the program as _tessera in a folder of $fpath.",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), help="The shell to complete in.")
def run(arguments: Arguments) -> int:
    """Print the completion of `tessera` for the chosen shell."""
    return shell_complete(TESSERA, {}, "tessera", COMPLETE, f"{arguments.shell}_source")
