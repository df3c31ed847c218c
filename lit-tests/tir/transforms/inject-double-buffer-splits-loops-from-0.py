# A loop that is split begins at 0.
# RUN: %relayopt '--passes=tir.InjectDoubleBuffer<split_loop=2>' --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    for i in range(1, 8):  # expected-error {{a loop that is double buffered and split must begin at 0}}
        b = T.allocate([4], "float32", "shared")
        B = T.Buffer((4,), data=b, scope="shared")
        with T.attr(b, "double_buffer_scope", 1):
            B[0] = A[i]
        A[i] = B[0]
