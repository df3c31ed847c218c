# Unrolled blocks share the memory that is allocated in them.
# RUN: not %relayopt --passes=tir.UnrollLoop,tir.LowerOpaqueBlock,tir.LowerDeviceStorageAccessInfo %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes=tir.UnrollLoop,tir.LowerOpaqueBlock,tir.ConvertSSA,tir.LowerDeviceStorageAccessInfo %s --disable-output
from tvm.script import tir as T

@T.prim_func
def main():
    for i in T.unroll(2):
        with T.block(""):
            T.reads()
            T.writes()
            B = T.alloc_buffer((16,), "int8", scope="local.vtcm")
            B[0] = T.int8(0)
# CHECK: error: B is allocated twice
