# tvm_thread_allreduce folds the values of the threads by the combiner around it; shuffles exchange them in a warp.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4,), "int32"), C: T.Buffer((8,), "int32")):
    blockIdx_x = T.launch_thread("blockIdx.x", 1)
    result = T.allocate([1], "int32", "local")
    threadIdx_y = T.launch_thread("threadIdx.y", 2)
    threadIdx_x = T.launch_thread("threadIdx.x", 4)
    R = T.Buffer((1,), "int32", data=result, scope="local")
    with T.attr(T.comm_reducer(lambda x, y: x + y, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), threadIdx_y * 10 + threadIdx_x, T.bool(True), R[0], threadIdx_x)
    B[threadIdx_y] = R[0]
    C[threadIdx_y * 4 + threadIdx_x] = T.tvm_warp_shuffle_down(T.uint32(15), threadIdx_x, 1, 32, 32)
# CHECK: {{^}}B: [6, 46, {{.*}}]{{$}}
# CHECK: {{^}}C: [1, 2, 3, 0, 1, 2, 3, 3]{{$}}
