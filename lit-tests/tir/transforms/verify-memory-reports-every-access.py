# One line for each access outside of threads, in the order of the text; the place is that of the first one.
# RUN: not %relayopt --passes=tir.VerifyMemory %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    with T.launch_thread("threadIdx.x", 16) as tx:
        A[tx] = B[tx]
    A[0] = B[1]
    for i in range(16):
        B[i] = T.float32(0)
# CHECK:      :10:5: error: RuntimeError: Memory verification failed with the following errors:
# CHECK-NEXT:   Variable `A` is directly accessed by host memory
# CHECK-NEXT:   Variable `B` is directly accessed by host memory
# CHECK-NEXT:   Variable `B` is directly accessed by host memory
# CHECK-NEXT: Did you forget to bind?
