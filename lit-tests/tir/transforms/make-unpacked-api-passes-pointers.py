# The data of the buffer is the parameter; inside it is declared as before.
# RUN: %relayopt --passes=tir.MakeUnpackedAPI %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), n: T.int32):
    T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
    A[n] = T.float32(0)
# CHECK: def main(A: T.handle("float32", "global"), n: T.int32) -> T.int32:
# CHECK: T.attr("default", "device_id", 0)
# CHECK: T.attr("default", "device_type", 1)
# CHECK: T.decl_buffer((8,), data=A)
# CHECK: [n] = T.float32(0)
# CHECK: T.ret(0)
