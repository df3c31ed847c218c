# The first two pointers are not read any more; the third is still the third argument.
# RUN: %relayopt --passes=tir.MakePackedAPI,tir.RemoveNoOp --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(p: T.handle("uint8"), q: T.handle("int32"), r: T.handle("float32")):
    T.func_attr({"global_symbol": "main", "target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
    A = T.decl_buffer((4, 16), "uint8", data=p)
    B = T.decl_buffer((16,), "int32", data=q)
    C = T.decl_buffer((8,), "float32", data=r)
    C[1] = C[0]
# CHECK: tvm_struct_get(args, 2, 12, "handle")
# CHECK-NOT: tvm_struct_get
