"""The standard library: lists, options, trees, and arrays of tensors."""

from __future__ import annotations

import functools
import weakref

from ..ir.module import IRModule
from .tensor_arrays import provide, register, register_static, static_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..ir.expr import GlobalVar
    from ..ir.type import GlobalTypeVar

_FUNCTIONS = ["id", "compose", "flip", "hd", "tl", "nth", "length", "update", "map", "foldl", "foldr", "foldr1", "sum",
              "concat", "filter", "zip", "rev", "map_accuml", "map_accumr", "unfoldl", "unfoldr", "tmap", "size", "iterate"]


class Prelude:
    """The standard library in a module: `p.mod`, and its functions as attributes.

    >>> prelude = relay.Prelude()
    >>> _, cons, nil = prelude.mod.get_type("List")
    >>> prelude.mod["main"] = relay.Function([], prelude.length(cons(relay.const(1), nil())))
    >>> prelude.mod["main"].body.op
    I.GlobalVar("length")
    """

    def __init__(self, mod: IRModule | None = None) -> None:
        self.mod = IRModule() if mod is None else mod
        self.mod.import_from_std("prelude.rly")
        # Arrays of tensors are made when one of their functions is asked for.
        self.mod.__dict__["_provider"] = functools.partial(provide, weakref.proxy(self.mod))
        for name in _FUNCTIONS:
            setattr(self, name, self.mod.get_global_var(name))

    def get_name(self, canonical: str, dtype: Any) -> str:
        """The name of a function, a constructor or the type of tensor arrays of a data type."""
        return f"tensor_{dtype}_t" if canonical == "tensor_t" else f"{canonical}_{dtype}"

    def get_global_var(self, canonical: str, dtype: Any) -> GlobalVar:
        register(self.mod, dtype)
        return self.mod.get_global_var(self.get_name(canonical, dtype))

    def get_type(self, canonical: Any, dtype: Any) -> Any:
        register(self.mod, dtype)
        return self.mod.get_global_type_var(self.get_name(canonical, dtype))

    def get_ctor(self, ty_name: str, canonical: str, dtype: Any) -> Any:
        """A constructor of a type, which is given by the name that it has in the module."""
        name = self.get_name(canonical, dtype)
        register(self.mod, dtype)
        for ctor in self.mod[self.mod.get_global_type_var(ty_name)].constructors:
            if ctor.name_hint == name:
                return ctor
        raise Exception(f"could not find {name}")

    def get_tensor_ctor(self, canonical: str, dtype: Any) -> Any:
        return self.get_ctor(self.get_name("tensor_t", dtype), canonical, dtype)

    # Of arrays whose elements have one shape, which StaticTensorArrayOps has registered.

    def get_name_static(self, canonical: str, dtype: Any, shape: Any, batch_dim: Any = None) -> str:
        # Types and constructors are the same with a batch axis.
        key = static_key(dtype, shape, None if canonical in ("tensor_t", "tensor_nil", "tensor_constructor") else batch_dim)
        return f"static_tensor_{key}_t" if canonical == "tensor_t" else f"{canonical}_{key}"

    def get_global_var_static(self, canonical: str, dtype: Any, shape: Any, batch_dim: Any = None) -> GlobalVar:
        return self.mod.get_global_var(self.get_name_static(canonical, dtype, shape, batch_dim))

    def get_type_static(self, canonical: str, dtype: Any, shape: Any) -> GlobalTypeVar:
        return self.mod.get_global_type_var(self.get_name_static(canonical, dtype, shape))

    def get_ctor_static(self, ty_name: str, name: str, dtype: Any, shape: Any) -> Any:
        wanted = self.get_name_static(name, dtype, shape)
        for ctor in self.mod[self.get_type_static(ty_name, dtype, shape)].constructors:
            if ctor.name_hint == wanted:
                return ctor
        raise Exception(f"could not find {wanted}")

    def get_tensor_ctor_static(self, name: str, dtype: Any, shape: Any) -> Any:
        return self.get_ctor_static("tensor_t", name, dtype, shape)


class StaticTensorArrayOps:
    """Tensor arrays whose elements have one shape; `register` adds them to the module of a prelude.

    With `batch_dim=1` an array has one element, and stacking it gives an axis of that extent, not one that is open.
    """

    def __init__(self, prelude: Prelude, dtype: Any, shape: Any, batch_dim: int | None = None) -> None:
        self.prelude, self.dtype, self.shape, self.batch_dim = prelude, dtype, tuple(shape), batch_dim

    def get_name(self, canonical: Any) -> Any:
        return self.prelude.get_name_static(canonical, self.dtype, self.shape, self.batch_dim)

    def get_global_var(self, canonical: str) -> GlobalVar:
        return self.prelude.get_global_var_static(canonical, self.dtype, self.shape, self.batch_dim)

    def get_type(self, canonical: Any) -> Any:
        return self.prelude.get_type_static(canonical, self.dtype, self.shape)

    def get_ctor(self, canonical: str) -> Any:
        return self.prelude.get_tensor_ctor_static(canonical, self.dtype, self.shape)

    def register(self) -> None:
        """Adds the type and its functions, once."""
        register_static(self.prelude.mod, self.dtype, self.shape, self.batch_dim)
