# A view of another shape has no axis separators of its own.
# RUN: %relayopt --passes=tir.FlattenBuffer --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    b = T.allocate([4, 4], "float32", "global")  # expected-error {{tir.FlattenBuffer: the buffer declared right inside of an allocation has axis separators and another shape}}
    B = T.decl_buffer((2, 8), "float32", data=b, axis_separators=[1])
    B[0, 0] = A[0]
    A[1] = B[0, 0]
