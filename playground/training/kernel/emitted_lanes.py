"""`Lanes` that write LLVM's instructions. Imported only where something is compiled."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types

_NUMBER, _PLACE, _BIT = ir.IntType(64), ir.IntType(32), ir.IntType(1)
_Value = Any


class _Array(NamedTuple):
    data: _Value
    element: Any


def lanes_of(n_lanes: int, n_bits: int, context: Any, builder: Any) -> "_EmittedLanes":
    """As many as there are, of so many bits each, and where to write."""
    return _EmittedLanes(n_lanes, n_bits, context, builder)


class _EmittedLanes:
    def __init__(self, n_lanes: int, n_bits: int, context: Any, builder: Any) -> None:
        self.n, self.kind, self.context, self.builder = n_lanes, ir.IntType(n_bits), context, builder
        self.numbers = self._constant(range(n_lanes))

    def argument(self, kind: Any, value: _Value) -> Any:
        """What is computed with: the address of an array, a number, or a named tuple of both."""
        if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
            fields = (self.builder.extract_value(value, place) for place in range(len(kind)))
            return kind.instance_class(*map(self.argument, kind, fields))
        if not isinstance(kind, types.Array):
            return value
        array = self.context.make_array(kind)(self.context, self.builder, value)
        return _Array(array.data, self.context.get_data_type(kind.dtype))

    def read(self, array: _Array, start: _Value, ahead: int = 0) -> "_Vector":
        start = self.builder.add(start, ir.Constant(_NUMBER, ahead))
        return self._widened(self.builder.load(self._address(array, start), align=array.element.width // 8))

    def gather(self, array: _Array, places: "_Vector", where: "_Vector", other: int) -> "_Vector":
        # Of a gather that is masked LLVM makes a branch for each lane: so the others read the first place.
        places = self.choose(where, places, self.filled(0))
        element, bits = self._type(array.element), array.element.width
        addresses = self.builder.gep(array.data, [places.value], source_etype=array.element)
        addresses.type = ir.VectorType(ir.PointerType(array.element), self.n)  # llvmlite takes it for one
        read = self._intrinsic(
            f"llvm.masked.gather.v{self.n}i{bits}.v{self.n}p0",
            element,
            [addresses.type, _PLACE, self._type(_BIT), element],
        )
        undefined = ir.Constant(element, ir.Undefined)
        everywhere = ir.Constant(self._type(_BIT), [1] * self.n)
        arguments = [addresses, ir.Constant(_PLACE, bits // 8), everywhere, undefined]
        found = self._widened(self.builder.call(read, arguments))
        return self.choose(where, found, self.filled(int(other)))

    def write(self, array: _Array, start: _Value, vector: "_Vector", ahead: int = 0) -> None:
        start = self.builder.add(start, ir.Constant(_NUMBER, ahead))
        value = vector.value
        if array.element.width < self.kind.width:
            value = self.builder.trunc(value, self._type(array.element))
        self.builder.store(value, self._address(array, start), align=array.element.width // 8)

    def put(self, array: _Array, place: _Value, number: "_Vector") -> None:
        self.builder.store(number.value, self.builder.gep(array.data, [place]))

    def filled(self, number: int) -> "_Vector":
        return self._constant([number] * self.n)

    def same(self, one: "_Vector", other: "_Vector | int") -> "_Vector":
        return one.same(other)

    def choose(self, where: "_Vector", one: "_Vector", other: "_Vector") -> "_Vector":
        return _Vector(self, self.builder.select(where.value, one.value, other.value))

    def before(self, vector: "_Vector", first: int) -> "_Vector":
        return self._moved(vector, first, [self.n, *range(self.n - 1)])

    def behind(self, vector: "_Vector", last: int) -> "_Vector":
        return self._moved(vector, last, range(1, self.n + 1))

    def bits(self, where: "_Vector") -> "_Vector":
        number = self.builder.bitcast(where.value, ir.IntType(self.n))
        return _Vector(self, number if self.n == 64 else self.builder.zext(number, _NUMBER))

    def lowest(self, array: _Array, start: _Value) -> "_Vector":
        width = array.element.width
        read = self.builder.load(self._address(array, start), align=width // 8)
        found = self._intrinsic(f"llvm.vector.reduce.umin.v{self.n}i{width}", array.element, [read.type])
        return _Vector(self, self.builder.zext(self.builder.call(found, [read]), _NUMBER))

    def alike(self, kind: Any, value: Any) -> _Value:
        """What is computed with a number or a vector of a kind: a number stands for the same in each lane."""
        if isinstance(value, _Vector):
            return value.value
        if isinstance(value, int | np.integer):
            return ir.Constant(kind, int(value) if kind == _NUMBER else [int(value)] * self.n)
        return self._spread(value).value

    def _constant(self, numbers: Any) -> "_Vector":
        return _Vector(self, ir.Constant(self._type(self.kind), list(numbers)))

    def _spread(self, number: _Value) -> "_Vector":
        if number.type.width > self.kind.width:
            number = self.builder.trunc(number, self.kind)
        one = self.builder.insert_element(
            ir.Constant(self._type(self.kind), ir.Undefined), number, ir.Constant(_PLACE, 0)
        )
        return _Vector(self, self._shuffled(one, one, [0] * self.n))

    def _moved(self, vector: "_Vector", added: int, places: Any) -> "_Vector":
        others = ir.Constant(vector.value.type, [int(added)] * self.n)
        return _Vector(self, self._shuffled(vector.value, others, places))

    def _shuffled(self, one: _Value, other: _Value, places: Any) -> _Value:
        return self.builder.shuffle_vector(one, other, ir.Constant(self._type(_PLACE), list(places)))

    def _widened(self, value: _Value) -> "_Vector":
        if value.type.element.width < self.kind.width:
            value = self.builder.zext(value, self._type(self.kind))
        return _Vector(self, value)

    def _address(self, array: _Array, start: _Value) -> _Value:
        first = self.builder.gep(array.data, [start])
        return self.builder.bitcast(first, ir.PointerType(self._type(array.element)))

    def _intrinsic(self, name: str, returned: Any, arguments: list[Any]) -> Any:
        return self.builder.module.declare_intrinsic(name, (), ir.FunctionType(returned, arguments))

    def _type(self, element: Any) -> Any:
        return ir.VectorType(element, self.n)


def _operator(instruction: str) -> Callable[["_Vector", Any], "_Vector"]:
    def write(vector: "_Vector", other: Any) -> "_Vector":
        writes = getattr(vector.lanes.builder, instruction)
        return _Vector(vector.lanes, writes(vector.value, vector.lanes.alike(vector.value.type, other)))

    return write


def _comparison(how: str) -> Callable[["_Vector", Any], "_Vector"]:
    def write(vector: "_Vector", other: Any) -> "_Vector":
        value = vector.lanes.alike(vector.value.type, other)
        return _Vector(vector.lanes, vector.lanes.builder.icmp_unsigned(how, vector.value, value))

    return write


class _Vector:
    def __init__(self, lanes: _EmittedLanes, value: _Value) -> None:
        self.lanes, self.value = lanes, value

    __add__, __sub__, __mul__ = _operator("add"), _operator("sub"), _operator("mul")
    __and__, __or__, __xor__ = _operator("and_"), _operator("or_"), _operator("xor")
    __lshift__, __rshift__ = _operator("shl"), _operator("lshr")
    __lt__, __gt__, same = _comparison("<"), _comparison(">"), _comparison("==")

    def __invert__(self) -> "_Vector":
        return _Vector(self.lanes, self.lanes.builder.not_(self.value))
