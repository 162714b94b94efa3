"""`@compiled`, `@inner` and `@inlined`: functions that Numba turns into machine code, which is kept on disk.

What is compiled lives in the modules of this folder. `native_code` loads it, which needs no Numba.
"""

import importlib
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from playground.training.kernel import native_code
from playground.training.kernel.first_use import compiling
from playground.training.kernel.native_code import MachineCode

Function = TypeVar("Function", bound=Callable[..., object])
Argument = TypeVar("Argument")

#: What a count begins with: where it is a plain 0, Numba compiles what is called with it for that, too.
ZERO = cast(int, np.int64(0))
_is_only_kept: ContextVar[bool] = ContextVar("is_only_kept", default=False)
_OPTIONS: dict[str, Any] = {
    "nogil": True, "_nrt": False, "no_cfunc_wrapper": True, "no_cpython_wrapper": True,
}  # fmt: skip
#: What machine code may call: LLVM writes the first three for loops, the last is C's own.
_KNOWN_SYMBOLS = {"memset", "memcpy", "memmove", "exp"}
_RETURNED = {"none": "", "int64": "q", "uint64": "Q"}
#: Functions that only compiled code calls, each with the options that Numba is to have.
_inner: dict[FunctionType, dict[str, Any]] = {}
#: Numba's form of functions, for all that is compiled in this process: they share what they call.
_dispatchers: dict[FunctionType, Any] = {}
#: Functions of which we write the instructions ourselves, and the type of their result.
_emitted: dict[FunctionType, tuple[Callable[..., object], str]] = {}


class NotKeptError(Exception):
    """A function is not on disk, and may not be compiled here."""


@contextmanager
def only_kept() -> Iterator[None]:
    """Load functions from disk, and raise NotKeptError where one would be compiled.

    Compiling holds the interpreter. Where nothing can be kept on disk, functions are compiled all the same.
    """
    before = _is_only_kept.set(True)
    try:
        yield
    finally:
        _is_only_kept.reset(before)


def compiled(function: Function) -> Function:
    """For what Python calls: compiled on the first call, loaded from disk on later starts.

    It takes arrays, named tuples of them, `int` and `float`, and returns an `int` or None. It runs without
    the interpreter's lock. All arrays belong to the caller, who holds them while it waits. So compiled code
    counts no references (`_nrt`), which had cost half the time of counting pretokens, and makes no arrays of
    its own.
    """
    return cast(Function, CompiledFunction(cast(FunctionType, function)))


def inner(function: Function) -> Function:
    """For what only compiled code calls."""
    _inner[cast(FunctionType, function)] = _OPTIONS
    return function


def inlined(function: Function) -> Function:
    """The same for a function that LLVM copies into its callers: a third faster in loops over bytes."""
    _inner[cast(FunctionType, function)] = _OPTIONS | {"forceinline": True}
    return function


def emitted(emit: Callable[..., object], *, returns: str) -> Callable[[Function], Function]:
    """The same for what Numba has no words for: `emit` writes the instructions, as Numba's intrinsics do.

    `returns` is Numba's name of the result's type. The function itself says in Python what they do.
    """

    def register(function: Function) -> Function:
        _emitted[cast(FunctionType, function)] = emit, returns
        return function

    return register


def laid_out(argument: Argument) -> Argument:
    """Stands for an argument in many calls: what machine code is handed of it is found once, 3 µs an array.

    It holds the argument, whose arrays stay where they are. Only compiled functions know it.
    """
    return cast(Argument, _LaidOut(argument))


class _LaidOut:
    def __init__(self, argument: Any) -> None:
        self.argument = argument
        self.kinds: list[str] = []
        self.values: list[Any] = []
        _flatten([argument], self.kinds, self.values)


class CompiledFunction:
    """A function as Python calls it, with machine code for each kind of arguments that came."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.n_loaded = self.n_compiled = 0
        self._made: dict[str, Callable[[list[Any]], int | None]] = {}
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any) -> int | None:
        """Raises TypeError for arguments that machine code cannot take."""
        kinds: list[str] = []
        values: list[Any] = []
        _flatten(arguments, kinds, values)
        kind = " ".join(kinds)
        made = self._made.get(kind)
        if made is None:
            with self._lock:
                made = self._made.get(kind) or self._make(kind, kinds, arguments)
                self._made[kind] = made
        return made(values)

    def _make(
        self, kind: str, kinds: Sequence[str], arguments: Sequence[Any]
    ) -> Callable[[list[Any]], int | None]:
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        code = native_code.kept(name, kind)
        if code is not None:
            self.n_loaded += 1
        else:
            if _is_only_kept.get() and native_code.CACHE_DIR is not None:
                raise NotKeptError
            plain = [one.argument if isinstance(one, _LaidOut) else one for one in arguments]
            with compiling():
                code = _compile(self.function, plain)
            native_code.keep(name, kind, code)
            self.n_compiled += 1
        return native_code.callable_of(name, code, _c_types(kinds))


def _flatten(arguments: Sequence[Any], kinds: list[str], values: list[Any]) -> None:
    """What machine code is handed of arguments, as Numba lays them out, and the kind of each."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            flags = argument.flags
            layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
            is_open = f"{'w' if flags.writeable else 'r'}{'a' if flags.aligned else 'u'}"
            kinds.append(f"{argument.dtype.str}{argument.ndim}{layout}{is_open}")
            # Who owns an array is not told: nothing compiled keeps one.
            address = argument.__array_interface__["data"][0]
            values += (
                0, 0, argument.size, argument.itemsize, address, *argument.shape, *argument.strides,
            )  # fmt: skip
        elif isinstance(argument, _LaidOut):
            kinds += argument.kinds
            values += argument.values
        elif isinstance(argument, tuple):
            kinds.append(f"{type(argument).__name__}(")
            _flatten(argument, kinds, values)
            kinds.append(")")
        elif isinstance(argument, float):
            kinds.append("float")
            values.append(argument)
        elif isinstance(argument, int | np.int64):
            kinds.append("int")
            values.append(int(argument))
        else:
            raise TypeError(
                f"compiled code takes arrays, tuples of them, int and float, not {type(argument).__name__}"
            )


def _c_types(kinds: Sequence[str]) -> str:
    """Of each value the letter that it has in `native_code`."""
    found = ""
    for kind in kinds:
        if kind == "float":
            found += "d"
        elif kind == "int":
            found += "q"
        elif not kind.endswith(("(", ")")):
            found += "PPqqP" + "q" * (2 * int(kind[3]))
    return found


def _compile(function: FunctionType, arguments: Sequence[Any]) -> MachineCode:
    import numba  # only here: it takes 0.4 s, and kept code does without it

    from playground.training.kernel.linking import linking

    typeof: Any = numba.typeof
    types = tuple(typeof(int(one) if isinstance(one, np.int64) else one) for one in arguments)
    with linking():
        dispatcher = _dispatcher(function, _OPTIONS)
        dispatcher.compile(types)
        made = dispatcher.overloads[types]
        raw = made.library.object_file()
    unknown = {
        found.name
        for found in made.library._final_module.functions
        if found.is_declaration and not found.name.startswith("llvm.")
    } - _KNOWN_SYMBOLS
    if unknown:
        raise TypeError(f"{function.__name__} would call {', '.join(sorted(unknown))}, which is not loaded")
    return MachineCode(made.fndesc.llvm_func_name, _RETURNED[str(made.signature.return_type)], raw)


def _dispatcher(function: FunctionType, options: dict[str, Any]) -> Any:
    """Numba's form of a function, which sees Numba's form of those that it calls; it is made once."""
    if function not in _dispatchers:
        made = _intrinsic(function) if function in _emitted else _linked(function, options)
        _dispatchers[function] = made
    return _dispatchers[function]


def _linked(function: FunctionType, options: dict[str, Any]) -> Any:
    numba = importlib.import_module("numba")
    names = {
        name: _dispatcher(called, _inner.get(called, {}))
        for name in function.__code__.co_names
        if inspect.isfunction(called := function.__globals__.get(name))
        and (called in _inner or called in _emitted)
    }
    linked = FunctionType(function.__code__, function.__globals__ | names, function.__name__)
    linked.__qualname__, linked.__defaults__ = function.__qualname__, function.__defaults__
    return numba.njit(linked, **options)


def _intrinsic(function: FunctionType) -> Any:
    numba = importlib.import_module("numba")
    emit, returns = _emitted[function]

    def typed(_context: object, *arguments: object) -> tuple[Any, Callable[..., object]]:
        return numba.core.typing.signature(getattr(numba.types, returns), *arguments), emit

    own = inspect.signature(function)
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    cast(Any, typed).__signature__ = own.replace(parameters=[context, *own.parameters.values()])
    return numba.extending.intrinsic(typed)
