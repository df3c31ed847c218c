# As intrinsics and as calls of the device's runtime.
# RUN: %relayopt --run %s | FileCheck %s
# RUN: %relayopt --passes=tir.LowerTVMBuiltin --validate %s 2>&1 | FileCheck --check-prefix=LOWERED %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    T.func_attr({"target": T.target("llvm")})
    T.attr("default", "device_id", 0)
    T.attr("default", "device_type", 16)
    for i in range(8):
        A[i] = i * 3
    T.evaluate(T.dma_start_group(0, dtype="int32"))
    T.evaluate(T.dma_copy(0, T.address_of(B[4]), T.address_of(A[0]), 16, False, dtype="int32"))
    T.evaluate(T.dma_copy(0, T.address_of(B[0]), T.address_of(A[4]), 16, False, dtype="int32"))
    T.evaluate(T.dma_end_group(0, dtype="int32"))
    T.evaluate(T.dma_wait(0, 0, dtype="int32"))
    B[0] = B[0] + 1
# CHECK: B: [13, 15, 18, 21, 0, 3, 6, 9]
# LOWERED: validate: 1 pass: 1 ok (1 bit-exact), 0 mismatches
