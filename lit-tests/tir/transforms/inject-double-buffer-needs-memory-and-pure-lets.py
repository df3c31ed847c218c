# Memory that is allocated somewhere else cannot be doubled, and a let with an effect cannot be repeated.
# RUN: %relayopt --passes=tir.InjectDoubleBuffer --verify-diagnostics --split-input-file %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((24,), "float32"), B: T.Buffer((6,), "float32"), M: T.handle("float32")):
    M_1 = T.Buffer((4,), data=M)
    for i in range(6):
        # expected-error@+1 {{M_1 has a double_buffer_scope and is not allocated around it}}
        with T.attr(M, "double_buffer_scope", 1):
            M_1[0] = A[i]
        B[i] = M_1[0]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((24,), "float32"), B: T.Buffer((6,), "float32")):
    for i in range(6):
        M = T.allocate([4], "float32", "global")
        x: T.int32 = T.call_extern("int32", "next")
        M_1 = T.Buffer((4,), data=M)
        # expected-error@+1 {{a double_buffer_scope in a let of x, whose value is not pure}}
        with T.attr(M, "double_buffer_scope", 1):
            M_1[0] = A[x]
        B[i] = M_1[0]
