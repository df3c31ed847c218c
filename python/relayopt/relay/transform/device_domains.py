"""Where values are: unknown devices that are found out by making them equal.

A value that is no function has one device. A function has one for each parameter and one for its result; where a device for
the function itself is asked for, it is that of its result.
"""

from __future__ import annotations

from ...error import TVMError
from ...ir.op import Op
from ...ir.type import FuncType
from ...target.virtual_device import VirtualDevice
from ..adt import Constructor
from ..expr import Call
from ..function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ...ir.expr import RelayExpr
    from ...ir.type import Type

# Device type, number and memory scope; each may be open.
OPEN = (-1, -1, "")


def key_of(device: Any) -> tuple[int, int, str]:
    """What is known of a virtual device. The number of a device whose type is known is 0 where it is open."""
    if device is None:
        return OPEN
    kind, number, scope = int(device.device_type_int), int(device.virtual_device_id), str(device.memory_scope or "")
    return (kind, 0 if kind != -1 and number == -1 else number, scope)


def join(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """What both keys say; None where they differ."""
    joined = []
    for left, right, unknown in zip(a, b, OPEN):
        if left != unknown and right != unknown and left != right:
            return None
        joined.append(right if left == unknown else left)
    return tuple(joined)


class Domain:
    """The device of a value, or those of a function: `parts` are parameters and, last, the result."""

    __slots__ = ("key", "parts", "same_as")

    def __init__(self, key: tuple[int, int, str] = OPEN, parts: Any = None) -> None:
        self.key, self.parts = key, parts
        self.same_as: Domain | None = None


def find(domain: Domain) -> Domain:
    while domain.same_as is not None:
        if domain.same_as.same_as is not None:
            domain.same_as = domain.same_as.same_as
        domain = domain.same_as
    return domain


def unify(a: Any, b: Any) -> bool:
    """Makes two domains one; False, with nothing changed for values, where they differ."""
    a, b = find(a), find(b)
    if a is b:
        return True
    if (a.parts is None) != (b.parts is None):
        # A function where a value is: all of it is there.
        function, value = (a, b) if b.parts is None else (b, a)
        return collapse(value, function)
    if a.parts is None:
        key = join(a.key, b.key)
        if key is None:
            return False
        b.key, a.same_as = key, b
        return True
    if len(a.parts) != len(b.parts):
        return False
    if not all([unify(left, right) for left, right in zip(a.parts, b.parts)]):
        return False
    a.same_as = b
    return True


def collapse(value: Any, domain: Any) -> bool:
    """Makes every device of `domain` that of a value."""
    domain = find(domain)
    if domain.parts is None:
        return unify(value, domain)
    return all([collapse(value, part) for part in domain.parts])


def result_key(domain: Domain) -> tuple[int, int, str]:
    domain = find(domain)
    while domain.parts is not None:
        domain = find(domain.parts[-1])
    return domain.key


def is_constrained(domain: Domain) -> bool:
    domain = find(domain)
    if domain.parts is not None:
        return all(is_constrained(part) for part in domain.parts)
    return domain.key[0] != -1


def set_default(domain: Any, key: tuple[int, int, str]) -> None:
    """Fills in what is open."""
    domain = find(domain)
    if domain.parts is not None:
        for part in domain.parts:
            set_default(part, key)
    else:
        domain.key = tuple(default if own == unknown else own for own, default, unknown in zip(domain.key, key, OPEN))


def set_result_then_params(domain: Any, key: tuple[int, int, str]) -> None:
    """Fills in the result, then parameters with the device of the result."""
    domain = find(domain)
    set_default(domain.parts[-1], key)
    for part in domain.parts[:-1]:
        set_default(part, result_key(domain))


class Domains:
    """The domain of every expression of a module, as far as somebody asked for it."""

    def __init__(self, host: tuple[int, int, str]) -> None:
        self.host = host
        self._of: dict[Any, Any] = {}
        self._callees: dict[RelayExpr, Domain] = {}

    def of_type(self, type_: Type, key: tuple[int, int, str] = OPEN) -> Domain:
        """The domain of values of a type that are on the device of a key. Of functions that is where their results are:
        their parameters may be anywhere."""
        if isinstance(type_, FuncType):
            return Domain(parts=[self.of_type(t) for t in type_.arg_types] + [self.of_type(type_.ret_type, key)])
        return Domain(key)

    def of(self, expr: RelayExpr) -> Domain:
        found = self._of.get(expr)
        if found is None:
            found = self._of[expr] = self.of_type(expr.checked_type)
        return found

    def same(self, a: RelayExpr, b: Any) -> None:
        """An expression is where another one (or a domain) is."""
        other = b if isinstance(b, Domain) else self.of(b)
        if not unify(self.of(a), other):
            raise TVMError(f"these are to be on one device, and are on {result_key(self.of(a))} and {result_key(other)}:\n{a}")

    def collapsed(self, value: RelayExpr, domain: Domain) -> None:
        """A value is where everything of a domain is."""
        if not collapse(self.of(value), domain):
            raise TVMError(f"a function inside of a value has to be on its device:\n{value}")

    def of_callee(self, call: Call) -> Domain:
        """What a call asks of its callee; one domain for each call of what is on no device itself."""
        if call not in self._callees:
            self._callees[call] = self._new_callee(call)
        return self._callees[call]

    def _new_callee(self, call: Call) -> Domain:
        op, args = call.op, call.args
        if isinstance(op, Op):
            special = self._of_operator(call)
            if special is not None:
                return Domain(parts=special)
        elif not isinstance(op, Constructor) and not is_primitive(op):
            return self.of(op)
        anywhere = Domain()
        return Domain(parts=[anywhere] * (len(args) + 1))

    def _of_operator(self, call: Call) -> list[Domain] | None:
        name, attrs, anywhere = call.op.name, call.attrs, Domain()
        if name == "on_device":
            key = key_of(attrs.virtual_device)
            body = call.args[0].checked_type
            return [self.of_type(body, key if attrs.constrain_body else OPEN),
                    self.of_type(body, key if attrs.constrain_result else OPEN)]
        if name == "device_copy":
            body = call.args[0].checked_type
            return [self.of_type(body, key_of(attrs.src_virtual_device)), self.of_type(body, key_of(attrs.dst_virtual_device))]
        if name == "memory.alloc_storage":
            return [Domain(self.host) for _ in call.args] + [Domain(key_of(attrs.virtual_device))]
        if name == "memory.alloc_tensor":
            return [anywhere, Domain(self.host), Domain(self.host), anywhere]
        if name in ("shape_of", "vm.shape_of"):
            return [anywhere, Domain(self.host)]
        if name == "vm.invoke_tvm_op":
            return [anywhere] * 4
        if name == "vm.reshape_tensor":
            return [anywhere, Domain(self.host), anywhere]
        return None


def is_primitive(expr: RelayExpr) -> bool:
    """Whether an expression is a kernel: it runs wherever it is called."""
    return isinstance(expr, Function) and bool(expr.attrs is not None and "Primitive" in expr.attrs
                                               and int(expr.attrs["Primitive"]))


def device_of(key: tuple[int, int, str]) -> VirtualDevice:
    """The virtual device of a key."""
    device = VirtualDevice.__new__(VirtualDevice)
    device._init(key[0], key[1], None, key[2])
    return device


def body_of_on_device(expr: RelayExpr) -> tuple[RelayExpr | None, Any]:
    """(body, attributes) of a call of on_device; (None, None) of others."""
    if isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name == "on_device":
        return expr.args[0], expr.attrs
    return None, None
