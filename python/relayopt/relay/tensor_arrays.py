"""Arrays of tensors as algebraic data: lists of tensors of any rank up to six, of one element type."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..ir.module import IRModule

_RANKS = 6

# In these texts _D stands for the element type. Concatenating and growing stop where operators do.
_HEAD = """
type tensor_D_t { tensor_nil_D, CONSTRUCTORS }

def @tensor_take_D(%t: tensor_D_t[], %lower: int32, %upper: int32) -> tensor_D_t[] { match? (%t) { TAKES } }
def @tensor_expand_dims_D(%t: tensor_D_t[]) -> tensor_D_t[] { match? (%t) { GROWN } }
def @tensor_concatenate_D(%x: tensor_D_t[], %y: tensor_D_t[]) -> tensor_D_t[] { match? (%x) { JOINED } }

def @tensor_array_D(%n: int32) -> List[tensor_D_t[]] {
  if (%n == 0) { Nil } else { Cons(tensor_nil_D, @tensor_array_D(%n - 1)) }
}
def @tensor_array_read_D(%ta: List[tensor_D_t[]], %n: int32) -> tensor_D_t[] { @nth(%ta, %n) }
def @tensor_array_write_D(%ta: List[tensor_D_t[]], %n: int32, %v: tensor_D_t[]) -> List[tensor_D_t[]] { @update(%ta, %n, %v) }

def @tensor_array_scatter_helper_D(%ta: List[tensor_D_t[]], %current: int32, %limit: int32, %indices: Tensor[(?), int32],
                                   %values: List[tensor_D_t[]]) -> List[tensor_D_t[]] {
  if (%current == %limit) { %ta } else {
    @tensor_array_scatter_helper_D(@tensor_array_write_D(%ta, take(%indices, %current), @nth(%values, %current)),
                                   %current + 1, %limit, %indices, %values)
  }
}
def @tensor_array_scatter_D(%ta: List[tensor_D_t[]], %indices: Tensor[(?), int32], %values: List[tensor_D_t[]])
    -> List[tensor_D_t[]] {
  @tensor_array_scatter_helper_D(%ta, 0, take(shape_of(%indices, dtype="int32"), 0), %indices, %values)
}

def @tensor_array_split_helper_D(%ta: List[tensor_D_t[]], %value: tensor_D_t[], %offset: int32, %current: int32, %limit: int32,
                                 %lengths: Tensor[(?), int32]) -> List[tensor_D_t[]] {
  if (%current == %limit) { %ta } else {
    let %end = %offset + take(%lengths, %current);
    @tensor_array_split_helper_D(@tensor_array_write_D(%ta, %current, @tensor_take_D(%value, %offset, %end)), %value, %end,
                                 %current + 1, %limit, %lengths)
  }
}
def @tensor_array_split_D(%ta: List[tensor_D_t[]], %value: tensor_D_t[], %lengths: Tensor[(?), int32]) -> List[tensor_D_t[]] {
  @tensor_array_split_helper_D(%ta, %value, 0, 0, take(shape_of(%lengths, dtype="int32"), 0), %lengths)
}

def @tensor_array_concat_D(%ta: List[tensor_D_t[]]) -> tensor_D_t[] {
  match? (%ta) {
    Cons(%first, Nil) => %first,
    Cons(%first, %rest) => @tensor_concatenate_D(%first, @tensor_array_concat_D(%rest)),
    Nil => tensor_nil_D
  }
}
def @tensor_array_stack_D(%ta: List[tensor_D_t[]]) -> tensor_D_t[] {
  @tensor_array_concat_D(@map(@tensor_expand_dims_D, %ta))
}

def @tensor_array_gather_helper_D(%ta: List[tensor_D_t[]], %found: List[tensor_D_t[]], %current: int32,
                                  %indices: Tensor[(?), int32]) -> tensor_D_t[] {
  if (%current == 0) { @tensor_array_stack_D(%found) } else {
    let %before = %current - 1;
    @tensor_array_gather_helper_D(%ta, Cons(@tensor_array_read_D(%ta, take(%indices, %before)), %found), %before, %indices)
  }
}
def @tensor_array_gather_D(%ta: List[tensor_D_t[]], %indices: Tensor[(?), int32]) -> tensor_D_t[] {
  @tensor_array_gather_helper_D(%ta, Nil, take(shape_of(%indices, dtype="int32"), 0), %indices)
}
"""

_UNSTACK = """
def @tensor_array_unstack_tensorR_helper_D(%i: int32, %up: int32, %t: TYPE) -> List[tensor_D_t[]] {
  if (%i == %up) { Nil } else {
    Cons(tensorS_D(TAKEN), @tensor_array_unstack_tensorR_helper_D(%i + 1, %up, %t))
  }
}
def @tensor_array_unstack_tensorR_D(%t: TYPE) -> List[tensor_D_t[]] {
  @tensor_array_unstack_tensorR_helper_D(0, take(shape_of(%t, dtype="int32"), 0), %t)
}
"""

# Arrays whose elements have one shape. _K stands for it and the element type, TYPE for the type of elements, TENSOR for what
# they hold; _M and ROWS for elements of one more axis, which is open.
_STATIC = """
def @tensor_array_K(%n: int32) -> List[TYPE[]] {
  if (%n == 0) { Nil } else { Cons(tensor_nil_K, @tensor_array_K(%n - 1)) }
}
def @tensor_array_read_K(%ta: List[TYPE[]], %n: int32) -> TYPE[] { @nth(%ta, %n) }
def @tensor_array_write_K(%ta: List[TYPE[]], %n: int32, %v: TYPE[]) -> List[TYPE[]] { @update(%ta, %n, %v) }
def @tensor_get_data_K(%t: TYPE[]) -> TENSOR { match? (%t) { tensor_constructor_K(%v) => %v } }
def @tensor_expand_dims_K(%t: TYPE[]) -> ROWS[] {
  match? (%t) { tensor_constructor_K(%v) => tensor_constructor_M(expand_dims(%v, axis=0)) }
}
def @tensor_array_scatter_helper_K(%ta: List[TYPE[]], %current: int32, %limit: int32, %indices: Tensor[(?), int32],
                                   %values: List[TYPE[]]) -> List[TYPE[]] {
  if (%current == %limit) { %ta } else {
    @tensor_array_scatter_helper_K(@tensor_array_write_K(%ta, take(%indices, %current), @nth(%values, %current)),
                                   %current + 1, %limit, %indices, %values)
  }
}
def @tensor_array_scatter_K(%ta: List[TYPE[]], %indices: Tensor[(?), int32], %values: List[TYPE[]]) -> List[TYPE[]] {
  @tensor_array_scatter_helper_K(%ta, 0, take(shape_of(%indices, dtype="int32"), 0), %indices, %values)
}
def @tensor_array_gather_helper_K(%ta: List[TYPE[]], %found: List[TYPE[]], %current: int32, %indices: Tensor[(?), int32])
    -> ROWS[] {
  if (%current == 0) { @tensor_array_stack_K(%found) } else {
    let %before = %current - 1;
    @tensor_array_gather_helper_K(%ta, Cons(@tensor_array_read_K(%ta, take(%indices, %before)), %found), %before, %indices)
  }
}
def @tensor_array_gather_K(%ta: List[TYPE[]], %indices: Tensor[(?), int32]) -> ROWS[] {
  @tensor_array_gather_helper_K(%ta, Nil, take(shape_of(%indices, dtype="int32"), 0), %indices)
}
"""

_STACK = """
def @tensor_array_stack_helper_K(%ta: List[TYPE[]]) -> ROWS[] {
  match? (%ta) {
    Cons(%first, Nil) => @tensor_expand_dims_K(%first),
    Cons(%first, %rest) => match? (@tensor_expand_dims_K(%first)) {
      tensor_constructor_M(%a) => match? (@tensor_array_stack_helper_K(%rest)) {
        tensor_constructor_M(%b) => tensor_constructor_M(concatenate((%a, %b)))
      }
    }
  }
}
def @tensor_array_stack_K(%ta: List[TYPE[]]) -> ROWS[] { @tensor_array_stack_helper_K(%ta) }
"""

# With a batch of one, an array has one element, and ROWS has an axis of that extent.
_STACK_OF_ONE = """
def @tensor_array_stack_K(%ta: List[TYPE[]]) -> ROWS[] { @tensor_expand_dims_K(@hd(%ta)) }
"""

# What only elements with axes have. _F and FIRST stand for elements whose first axis is open, _P and PART for those without.
_STATIC_AXES = """
def @tensor_take_K(%t: TYPE[], %lower: int32, %upper: int32) -> FIRST[] {
  match? (%t) {
    tensor_constructor_K(%v) =>
      tensor_constructor_F(take(%v, arange(%lower, %upper, 1, start=None, stop=None, step=None, dtype="int32"), axis=0))
  }
}
def @tensor_concatenate_K(%x: TYPE[], %y: TYPE[]) -> FIRST[] {
  match? (%x) {
    tensor_constructor_K(%a) => match? (%y) { tensor_constructor_K(%b) => tensor_constructor_F(concatenate((%a, %b))) }
  }
}
def @tensor_array_split_helper_K(%ta: List[FIRST[]], %value: TYPE[], %offset: int32, %current: int32, %limit: int32,
                                 %lengths: Tensor[(?), int32]) -> List[FIRST[]] {
  if (%current == %limit) { %ta } else {
    let %end = %offset + take(%lengths, %current);
    @tensor_array_split_helper_K(@update(%ta, %current, @tensor_take_K(%value, %offset, %end)), %value, %end, %current + 1,
                                 %limit, %lengths)
  }
}
def @tensor_array_split_K(%ta: List[FIRST[]], %value: TYPE[], %lengths: Tensor[(?), int32]) -> List[FIRST[]] {
  @tensor_array_split_helper_K(%ta, %value, 0, 0, take(shape_of(%lengths, dtype="int32"), 0), %lengths)
}
def @tensor_array_concat_K(%ta: List[FIRST[]]) -> FIRST[] {
  match? (%ta) {
    Cons(%first, Nil) => %first,
    Cons(tensor_constructor_F(%a), %rest) => match? (@tensor_array_concat_K(%rest)) {
      tensor_constructor_F(%b) => tensor_constructor_F(concatenate((%a, %b)))
    },
    Nil => tensor_nil_F
  }
}
def @tensor_array_unstack_helper_K(%i: int32, %up: int32, %t: TENSOR) -> List[PART[]] {
  if (%i == %up) { Nil } else {
    Cons(tensor_constructor_P(take(%t, %i, axis=0)), @tensor_array_unstack_helper_K(%i + 1, %up, %t))
  }
}
def @tensor_array_unstack_K(%t: TENSOR) -> List[PART[]] {
  @tensor_array_unstack_helper_K(0, take(shape_of(%t, dtype="int32"), 0), %t)
}
"""


def _type(rank: int, dtype: Any) -> str:
    return f"Tensor[({', '.join('?' * rank)}), {dtype}]"


def _text(dtype: Any) -> str:
    """The definitions for an element type, as Relay text."""
    ranks = range(1, _RANKS + 1)
    takes = [f'tensor{r}_D(%t{r}) => tensor{r}_D(take(%t{r}, arange(%lower, %upper, 1, start=None, stop=None, step=None, dtype="int32"), axis=0))' for r in ranks]
    grown = [f"tensor{r}_D(%t{r}) => tensor{r + 1}_D(expand_dims(%t{r}, axis=0))" for r in range(_RANKS)]
    joined = [f"tensor{r}_D(%a{r}) => match? (%y) {{ tensor{r}_D(%b{r}) => tensor{r}_D(concatenate((%a{r}, %b{r}))) }}"
              for r in ranks]
    text = _HEAD.replace("CONSTRUCTORS", ", ".join(f"tensor{r}_D({_type(r, dtype)})" for r in range(_RANKS + 1)))
    for word, clauses in (("TAKES", takes), ("GROWN", grown), ("JOINED", joined)):
        text = text.replace(word, ",\n".join(clauses))
    for r in ranks:
        taken = "take(%t, %i)" if r == 1 else "take(%t, %i, axis=0)"
        text += _UNSTACK.replace("R", str(r)).replace("S", str(r - 1)).replace("TYPE", _type(r, dtype)).replace("TAKEN", taken)
    return text.replace("_D", f"_{dtype}")


def static_key(dtype: Any, shape: Any, batch_dim: Any = None) -> str:
    """What the names of functions on elements of a shape end in. As TVM: only a batch of one is another kind of array."""
    return f"{dtype}_" + ("batch1_" if batch_dim == 1 else "") + ("_".join("any" if extent == "?" else extent for extent in map(_extent, shape)) or "scalar")


def _extent(extent: Any) -> str:
    """An extent as in a text; what is no number is open."""
    if isinstance(extent, str):
        return extent
    return str(int(extent)) if isinstance(extent, int) or getattr(extent, "type_key", "") == "IntImm" else "?"


def _static_text(mod: IRModule, dtype: Any, shape: Any, batch_dim: Any) -> str:
    """The definitions for elements of a shape, and of the shapes that come of it, where the module has them not yet."""
    shape = tuple(map(_extent, shape))
    known = {var.name_hint for var in mod.get_global_type_vars()}
    known |= {var.name_hint for var in mod.get_global_vars()}
    shapes = {"K": shape, "M": ("1" if batch_dim == 1 else "?", *shape)}
    if shape:
        shapes |= {"F": ("?", *shape[1:]), "P": shape[1:]}
    keys = {letter: static_key(dtype, each) for letter, each in shapes.items()}
    text = "".join(
        f"type static_tensor_{key}_t {{ tensor_nil_{key}, tensor_constructor_{key}(Tensor[({', '.join(each)}), {dtype}]) }}\n"
        for key, each in {keys[letter]: each for letter, each in shapes.items()}.items() if f"static_tensor_{key}_t" not in known)
    functions = static_key(dtype, shape, batch_dim)
    if f"tensor_array_{functions}" in known:
        return text
    text += _STATIC + (_STACK_OF_ONE if batch_dim == 1 else _STACK) + (_STATIC_AXES if shape else "")
    for constructor in ("tensor_nil", "tensor_constructor"):
        text = text.replace(f"{constructor}_K", f"{constructor}_{keys['K']}")
    keys["K"] = functions
    for word, letter in {"TYPE": "K", "ROWS": "M", "FIRST": "F", "PART": "P"}.items():
        text = text.replace(word, f"static_tensor_{static_key(dtype, shapes.get(letter, ()))}_t")
    for letter, key in keys.items():
        text = text.replace("_" + letter, "_" + key)
    return text.replace("TENSOR", f"Tensor[({', '.join(shape)}), {dtype}]")


def register_static(mod: IRModule, dtype: Any, shape: Any, batch_dim: Any = None) -> None:
    """Adds the type of tensors of one shape, and the functions on lists of them, to a module with the prelude; once."""
    text = _static_text(mod, dtype, shape, batch_dim)
    if text:
        mod._take_text('#[version = "0.0.5"]\n' + text, "tensor_arrays.rly")


# The element types that a prelude has arrays of.
DTYPES = ("float32", "float16", "float64", "int32", "uint8", "int8", "int16", "uint16", "int64")


def register(mod: Any, dtype: Any) -> None:
    """Adds the type of tensors of an element type, and the functions on lists of them, to a module with the prelude; once."""
    if all(var.name_hint != f"tensor_{dtype}_t" for var in mod.get_global_type_vars()):
        mod._take_text('#[version = "0.0.5"]\n' + _text(dtype), "tensor_arrays.rly")


def provide(mod: Any, name: str) -> bool:
    """Adds the arrays that a function of this name belongs to; whether there are such."""
    canonical, _, dtype = name.rpartition("_")
    if dtype not in DTYPES or not canonical.startswith("tensor_"):
        return False
    register(mod, dtype)
    return True
