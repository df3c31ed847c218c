# RUN: %relayopt %s | FileCheck %s
# CHECK: def main
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    for i in range(4):
        A[i] = A[i]
