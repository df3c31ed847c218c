# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((4,), "float32")):
    with T.launch_thread("threadIdx.x", 32) as tx:
        a = T.allocate([4], "float16", "local")
        b = T.allocate([2], "float16", "local")
        c = T.allocate([4], "float32", "local")
        if tx < 16:
            T.evaluate(T.ptx_mma("float32", "m16n8k8", "row", "col", "fp16", "fp16", "fp32", a, 0, b, 0, c, 0, False))
# CHECK: needs-its-whole-warp.py:[[# @LINE - 1]]:{{[0-9]+}}: error: a matrix instruction to which 16 threads of a warp come, not all 32, cannot be evaluated
