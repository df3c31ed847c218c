# The type of a packed call is not printed; as the value of a handle it is one.
# RUN: %relayopt %s | FileCheck %s
# RUN: %relayopt --verify-roundtrip %s -o %t
from tvm.script import tir as T

@T.prim_func
def main(stack: T.handle, codes: T.handle("int32")):
    with T.LetStmt(T.call_packed_lowered("device_api.cpu.alloc_nd", stack, codes, 0, 7), var=T.handle("int64", "global.vtcm")) as M:
        T.evaluate(M)
# CHECK: T.call_packed_lowered("device_api.cpu.alloc_nd", stack, codes, 0, 7)
