"""Vectors of numbers, for which Numba has no words: `lanewise` writes their instructions.

What is computed is written once, as a function of `Lanes`. Compiled code has it as instructions, each of
which is done to all lanes at once; in Python the same function computes with NumPy, which says what it is.
"""

import inspect
from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import emitted

#: Numbers without a sign, one a lane, or what is true of each; they have the operators of NumPy's arrays.
Vector = Any
Array = Any


class Lanes(Protocol):
    """Reads, writes and moves vectors."""

    numbers: Vector  # of the lanes: 0, 1, 2 …

    def read(self, array: Array, start: int, ahead: int = 0) -> Vector:
        """Neighbours in an array, one for each lane, the first so far ahead of a place."""

    def gather(self, array: Array, places: Vector, where: Vector, other: int) -> Vector:
        """What stands at the places; where `where` is false, it is `other`, and any place will do."""

    def write(self, array: Array, start: int, vector: Vector, ahead: int = 0) -> None:
        """Its lowest bits, as many as a number of the array has, side by side, so far ahead of a place."""

    def put(self, array: Array, place: int, number: Any) -> None:
        """Write one number."""

    def filled(self, number: int) -> Vector:
        """The same number in each lane."""

    def same(self, one: Vector, other: Vector | int) -> Vector:
        """Where both are equal."""

    def choose(self, where: Vector, one: Vector, other: Vector) -> Vector:
        """One where it is true, elsewhere the other."""

    def before(self, vector: Vector, first: int) -> Vector:
        """What the lane before has."""

    def behind(self, vector: Vector, last: int) -> Vector:
        """What the lane behind has."""

    def bits(self, where: Vector) -> Any:
        """A number in which the first lane is the lowest bit."""

    def lowest(self, array: Array, start: int) -> Any:
        """The lowest of neighbours in an array, one for each lane."""


def lanewise(
    compute: Callable[..., Any], n_lanes: int, kind: type[np.unsignedinteger[Any]]
) -> Callable[..., Any]:
    """A function for compiled code, which returns a number without a sign, as `compute` does.

    Its lanes have numbers of a kind, np.uint32 or np.uint64: of the first, twice as many take one step. It
    has the arguments that `compute` has behind its `Lanes`: numbers, which are places in arrays or stand for
    the same number in each lane; contiguous arrays; and named tuples of both.
    """

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from playground.training.kernel.emitted_lanes import lanes_of  # only here: kept code does without

        lanes = lanes_of(n_lanes, 8 * np.dtype(kind).itemsize, context, builder)
        return compute(lanes, *map(lanes.argument, signature.args, arguments)).value

    def run(*arguments: Any) -> Any:
        return compute(_NumPyLanes(n_lanes, kind), *arguments)

    own = inspect.signature(compute)
    cast(Any, run).__signature__ = own.replace(parameters=[*own.parameters.values()][1:])
    return emitted(emit, returns="uint64")(run)


class _NumPyLanes:
    """What each does, in Python."""

    def __init__(self, n_lanes: int, kind: type[np.unsignedinteger[Any]]) -> None:
        self._n, self._kind = n_lanes, kind
        self.numbers: Vector = np.arange(n_lanes, dtype=kind)

    def read(self, array: npt.NDArray[Any], start: int, ahead: int = 0) -> Vector:
        return array[start + ahead : start + ahead + self._n].astype(self._kind)

    def gather(self, array: npt.NDArray[Any], places: Vector, where: Vector, other: int) -> Vector:
        return np.where(where, array[np.where(where, places, 0)], other).astype(self._kind)

    def write(self, array: npt.NDArray[Any], start: int, vector: Vector, ahead: int = 0) -> None:
        array[start + ahead : start + ahead + self._n] = vector.astype(array.dtype)

    def put(self, array: npt.NDArray[Any], place: int, number: Any) -> None:
        array[place] = number

    def filled(self, number: int) -> Vector:
        return np.full(self._n, number, self._kind)

    def same(self, one: Vector, other: Vector | int) -> Vector:
        return one == other

    def choose(self, where: Vector, one: Vector, other: Vector) -> Vector:
        return np.where(where, one, other)

    def before(self, vector: Vector, first: int) -> Vector:
        return np.concatenate([np.array([first], vector.dtype), vector[:-1]])

    def behind(self, vector: Vector, last: int) -> Vector:
        return np.concatenate([vector[1:], np.array([last], vector.dtype)])

    def bits(self, where: Vector) -> Any:
        return np.uint64(int.from_bytes(np.packbits(where, bitorder="little").tobytes(), "little"))

    def lowest(self, array: npt.NDArray[Any], start: int) -> Any:
        return np.uint64(array[start : start + self._n].min())
