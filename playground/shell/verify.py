"""`verify`: check certificates of Build by running the code in them."""

from pathlib import Path

import click

from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.lessons.workbench.certificate import check, read_certificate
from playground.lessons.workbench.steps import MILESTONES
from playground.shell.commands import FILE, Arguments, command
from playground.shell.terminal import print_error


@command(
    "verify",
    "tessera verify certificate.txt",
    "tessera verify homework/*.txt",
    notes="The code in a certificate runs in a process of its own, for at most 60 s, in an empty folder, "
    "with your rights: check certificates of people you don't know in a container. The status is 1 if one is "
    "incomplete.",
)
@click.argument(
    "certificates", nargs=-1, required=True, type=FILE, help="A certificate.txt that the page Build saved."
)
def run(arguments: Arguments) -> int:
    """Print a line for each certificate; the status is 1 if one of them is incomplete or can't be checked."""
    seen: dict[str, str] = {}
    is_right = True
    for name in arguments.certificates:
        try:
            text = Path(name).read_text(encoding="utf-8")
            certificate = read_certificate(text)
            checked = check(certificate.code)
        except (InvalidInputError, OSError, UnicodeDecodeError) as error:
            reason = "not valid UTF-8" if isinstance(error, UnicodeDecodeError) else error
            print_error(f"{name}: {getattr(error, 'strerror', None) or reason}")
            is_right = False
            continue
        is_right &= checked.n_milestones == len(MILESTONES) and certificate.is_whole
        print(
            f"{name}: {certificate.name or 'no name'}, {certificate.date or 'no date'}: "
            f"{checked.n_milestones} of {len(MILESTONES)} milestones; {counted(checked.n_tests, 'test')} and "
            f"{counted(checked.n_cases, 'fresh example')} right"
        )
        notes = [*checked.failures]
        if not certificate.is_whole:
            notes.append("the code was changed after the certificate was made")
        if checked.ours:
            notes.append(f"Tessera's solution in step {', '.join(map(str, checked.ours))}")
        if certificate.code in seen:
            notes.append(f"the same code as {seen[certificate.code]}")
        seen.setdefault(certificate.code, name)
        for note in notes:
            print(f"  {note}")
    return 0 if is_right else 1
