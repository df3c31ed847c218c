# The pointer of the argument is not read any more, but the code of its type is still asked for.
# RUN: %relayopt --passes=tir.MakePackedAPI,tir.RemoveNoOp --validate %s | FileCheck %s
# RUN: %relayopt --run --passes=tir.MakePackedAPI,tir.RemoveNoOp %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, p: T.handle("uint8")):
    T.func_attr({"global_symbol": "main", "target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
    T.evaluate(n)
# CHECK-NOT: tvm_struct_get
# CHECK: assert p_code == 3 or p_code == 13 or p_code == 7 or p_code == 4, "main: Expect arg[1] to be pointer"
