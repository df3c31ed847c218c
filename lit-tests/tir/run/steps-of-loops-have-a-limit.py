# The evaluation of a loop that takes too long ends with an error; each lane of a vector is a step.
# RUN: not %relayopt --run --max-steps=100000 %s 2>&1 | FileCheck %s
# RUN: %relayopt --run --max-steps=100000000 %s | FileCheck --check-prefix=FITS %s
# FITS: A: [4, 4,
# CHECK: [[#@LINE+8]]:5: error: evaluation takes more than 100000 steps [evaluation-steps]
# CHECK: where i = {{[0-9]+}}
# CHECK: --max-steps=N changes this limit
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((1024,), "int32")):
    A[0:1024] = T.broadcast(4, 1024)
    for i in range(100):
        A[0:1024] = A[0:1024] // 2 * 2
