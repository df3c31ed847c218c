# Memory has elements of a type that has a size.
# RUN: %relayopt --verify-diagnostics %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), ""), B: T.Buffer((4,), "float32")):  # expected-error {{expected a type of elements, found void}}
    B[0] = T.float32(1)

@T.prim_func
def other(B: T.Buffer((4,), "float32")):
    C = T.allocate([4], "", "global")  # expected-error {{expected a type of elements, found void}}
    D = T.allocate([4], "float8", "global")  # expected-error {{expected a type of elements, found float8}}
    B[0] = T.float32(1)
