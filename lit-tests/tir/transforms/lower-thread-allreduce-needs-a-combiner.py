# RUN: not %relayopt --passes=tir.LowerThreadAllreduce %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    B = T.decl_buffer((1,), scope="local")
    with T.launch_thread("threadIdx.x", 32) as tx:
        T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), B[0], tx)
# CHECK: :9:9: error: T.tvm_thread_allreduce needs an attribute reduce_scope around it{{.*}} [allreduce-combiner]
