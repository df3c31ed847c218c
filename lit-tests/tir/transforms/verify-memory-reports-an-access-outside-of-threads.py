# Of any parameter, here of the second one.
# RUN: not %relayopt --passes=tir.VerifyMemory %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.handle("float32")):
    T.func_attr({"target": T.target("cuda")})
    B = T.Buffer((16,), "float32", data=A)
    B[n] = T.float32(0)
# CHECK: :9:5: error: RuntimeError: Memory verification failed with the following errors:
# CHECK: Variable `B` is directly accessed by host memory (it is not contained in a thread environment or in the function arguments.
# CHECK: Did you forget to bind?
