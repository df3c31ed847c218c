# An annotation is an expression or a string.
# RUN: %relayopt --passes=tir.LowerOpaqueBlock --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.block(""):  # expected-error {{tir.LowerOpaqueBlock: the value of the annotation pragma_x is neither an expression nor a string}}
        T.reads()
        T.writes(A[0])
        T.block_attr({"pragma_x": [1, 2]})
        A[0] = T.float32(1)

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for i in T.serial(4, annotations={"pragma_x": [1, 2]}):  # expected-error {{tir.LowerOpaqueBlock: the value of the annotation pragma_x is neither an expression nor a string}}
        A[i] = T.float32(1)
