# tvm_thread_allreduce stores its result through a pointer or into a loaded element; a computed number is an error.
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
# RUN: sed 's/R\[0\] + 1/R[0]/; s/T.uint32(1)/T.uint32(2)/; s/threadIdx_x \* 3/threadIdx_x, threadIdx_x/; s/R\[0\], threadIdx_x/R[0], R[0], threadIdx_x/' %s > %t.py
# RUN: not %relayopt --run %t.py 2>&1 | FileCheck %s --check-prefix=COUNT
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((1,), "int32")):
    blockIdx_x = T.launch_thread("blockIdx.x", 1)
    result = T.allocate([1], "int32", "local")
    threadIdx_x = T.launch_thread("threadIdx.x", 4)
    R = T.Buffer((1,), "int32", data=result, scope="local")
    with T.attr(T.comm_reducer(lambda x, y: x + y, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), threadIdx_x * 3, T.bool(True), R[0] + 1, threadIdx_x)
    B[0] = R[0]
# CHECK: error: {{.*}}a reduction over threads without a place for its result
# COUNT: error: {{.*}}a reduction over threads whose values do not match its combiner
