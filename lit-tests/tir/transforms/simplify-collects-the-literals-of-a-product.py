# RUN: %relayopt --passes=tir.Simplify %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, m: T.int32, A: T.Buffer((16,), "int32")):
    A[0] = n * 2 * (m * 4)
# CHECK: A[0] = n * m * 8
