# Instructions of matrices and asynchronous copies are not evaluated.
# RUN: sed 's/float32(2)/float32(3)/' %s > %t.py
# RUN: not %relayopt %s --equiv=%t.py 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    A[0] = T.float32(2)
    T.evaluate(T.ptx_arrive_barrier(0))
# CHECK: error: --equiv: the programs cannot be compared:
