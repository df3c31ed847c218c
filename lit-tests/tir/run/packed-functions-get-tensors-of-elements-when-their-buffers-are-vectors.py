# StorageRewrite makes vectors of the elements of A; the function still asks for a tensor of sixteen elements, and leaves the same bytes.
# RUN: %relayopt --passes='tir.MakePackedAPI,tir.StorageRewrite' --validate %s | FileCheck %s
# RUN: %relayopt --run --passes='tir.MakePackedAPI,tir.StorageRewrite' %s | FileCheck %s --check-prefix=RESULT
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    T.func_attr({"global_symbol": "main", "target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
    A[0:4] = T.Broadcast(1, 4)
    A[4:8] = T.Broadcast(2, 4)
    A[8:12] = T.Broadcast(3, 4)
    A[12:16] = T.Broadcast(4, 4)
# CHECK: A_1 = T.decl_buffer((4,), "int32x4", data=A)
# RESULT: A: {{\[\[}}1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [4, 4, 4, 4{{\]\]}}
