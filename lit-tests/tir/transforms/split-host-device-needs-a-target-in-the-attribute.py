# What the region is for must be known.
# RUN: not %relayopt --passes=tir.SplitHostDevice %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    with T.attr("cuda", "target", 0):
        T.evaluate(n)
# CHECK: error: the attribute "target" must be about a target
