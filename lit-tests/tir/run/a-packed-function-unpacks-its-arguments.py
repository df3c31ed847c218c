# What MakePackedAPI makes of a function is called as the runtime does it, and leaves in memory what it did before.
# RUN: %relayopt --run --bind=n=3,k=5 --passes=tir.MakePackedAPI %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, k: T.int32, x: T.float32):
    T.func_attr({"global_symbol": "main", "target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
    n = T.int32()
    A = T.match_buffer(a, (n, 2), "int32")
    for i, j in T.grid(n, 2):
        A[i, j] = i * k + j
# CHECK: {{^}}A: {{\[\[}}0, 1], [5, 6], [10, 11{{\]\]$}}
