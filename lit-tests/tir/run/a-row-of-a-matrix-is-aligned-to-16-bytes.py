# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((512,), "float16")):
    with T.launch_thread("threadIdx.x", 32) as tx:
        a = T.allocate([8], "float16", "local")
        T.evaluate(T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", a, 0, A.data, tx * 8 + tx // 9))
# CHECK: error: a load of a row of a matrix that is not aligned to 16 bytes cannot be evaluated
# CHECK: note: where tx = 9
