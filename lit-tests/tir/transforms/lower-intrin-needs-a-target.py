# What there is depends on it.
# RUN: not %relayopt --passes=tir.LowerIntrin %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(x: T.float32):
    T.evaluate(T.exp(x))
# CHECK: error: LowerIntrin: the function has no attribute target
