# Shapes, layouts and types that PTX does not have are named in the error.
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
# RUN: sed s/m16n8k4/m16n8k8/ %s > %t.py
# RUN: not %relayopt --run %t.py 2>&1 | FileCheck --check-prefix=LAYOUT %s
# RUN: sed 's/m16n8k4/m16n8k8/; s/"row", "row"/"row", "col"/; s/, True/, False/' %s > %t2.py
# RUN: %relayopt --run %t2.py | FileCheck --check-prefix=RUNS %s
from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((32,), "float32")):
    with T.launch_thread("threadIdx.x", 32) as tx:
        a = T.allocate([4], "float16", "local")
        b = T.allocate([2], "float16", "local")
        c = T.allocate([4], "float32", "local")
        a_1 = T.Buffer((4,), "float16", data=a, scope="local")
        b_1 = T.Buffer((2,), "float16", data=b, scope="local")
        c_1 = T.Buffer((4,), "float32", data=c, scope="local")
        for i in range(4):
            a_1[i] = T.float16(1)
            b_1[i % 2] = T.float16(1)
            c_1[i] = T.float32(0)
        T.evaluate(T.ptx_mma("float32", "m16n8k4", "row", "row", "fp16", "fp16", "fp32", a, 0, b, 0, c, 0, True))
        C[tx] = c_1[3]
# CHECK: error: a matrix instruction m16n8k4.row.row of fp16, fp16 and fp32 cannot be evaluated
# LAYOUT: error: a matrix instruction m16n8k8.row.row of fp16, fp16 and fp32 cannot be evaluated
# RUNS: C: [8, 8, 8,
