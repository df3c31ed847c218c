# A vector whose elements are apart needs a vector of indices, whose bytes count as those of any other vector.
# RUN: %relayopt --passes='tir.VerifyGPUCode<max_vector_bytes=16>' %s | FileCheck %s
# RUN: not %relayopt --passes='tir.VerifyGPUCode<max_vector_bytes=15>' %s 2>&1 | FileCheck --check-prefix=LONG %s
# RUN: sed 's/, 2, 4/, 1, 4/' %s | %relayopt --passes='tir.VerifyGPUCode<max_vector_bytes=4>' - | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8")):
    threadIdx_x = T.launch_thread("threadIdx.x", 16)
    B[threadIdx_x * 4:threadIdx_x * 4 + 4] = A[T.Ramp(threadIdx_x, 2, 4)]
# CHECK: T.launch_thread
# LONG:  error: the number of bytes of a vector of indices is 16, and the limit is 15
