# RUN: not %relayopt --passes=tir.LowerThreadAllreduce %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), n: T.int32):
    T.func_attr({"target": T.target("cuda")})
    B = T.decl_buffer((1,), scope="local")
    with T.launch_thread("threadIdx.x", 32) as tx:
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), B[0], n)
# CHECK: :10:13: error: Not all reduce index are presented in the context
