# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.block("opaque"):
        T.evaluate(T.call_extern("int32", "touch", A.data))
# CHECK: [[@LINE-2]]:5: error: Can not auto detect buffer access region
