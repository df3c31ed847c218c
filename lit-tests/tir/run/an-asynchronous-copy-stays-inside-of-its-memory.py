# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float16"), B: T.Buffer((8,), "float16")):
    T.evaluate(T.ptx_cp_async("float16", B.data, 6, A.data, 0, 8))
# CHECK: error: {{.*}}[outside-memory]
