# A number that no extent can be is not taken for another one.
# RUN: not %relayopt --run --bind=n=99999999999999999999 %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def f(a: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int32")
    A[0] = 1
# CHECK: error: --bind: 'n=99999999999999999999' is not NAME=N or NAME.AXIS=N
