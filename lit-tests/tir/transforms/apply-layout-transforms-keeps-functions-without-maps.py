# RUN: %relayopt --passes=tir.ApplyLayoutTransforms %s | FileCheck %s
# RUN: sed 's/# ATTR/T.func_attr({"layout_transform_map": 1})/' %s | not %relayopt --passes=tir.ApplyLayoutTransforms - 2>&1 | FileCheck --check-prefix=MAP %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    # ATTR
    T.evaluate(n)
# CHECK: T.evaluate(n)
# MAP: error: tir.ApplyLayoutTransforms is not supported: the function maps the indices of buffers
