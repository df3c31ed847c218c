# Two halves need an even number of copies.
# RUN: %relayopt '--passes=tir.InjectDoubleBuffer<split_loop=3>' --verify-diagnostics --disable-output %s
# expected-error@unknown {{InjectDoubleBuffer: split_loop must be 0, 1 or even}}
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    A[0] = T.float32(1)
