# Sixteen elements are copied from the address of the first one, so all of the buffer stays.
# RUN: %relayopt --passes=tir.CompactBufferAllocation --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((16,), "float32")):
    M = T.allocate([16], "float32", "global")
    M_1 = T.Buffer((16,), data=M)
    T.dma_copy(0, T.address_of(M_1[0]), T.address_of(A[9]), 64, T.bool(False))
    T.dma_wait(0, 0)
    B[3] = M_1[3]
# CHECK: {{allocate\(\[16\]|decl_buffer\(\(16,\)}}
# CHECK: T.dma_copy(0, T.address_of({{[A-Z_0-9]+}}[0]), T.address_of(A[9]), 64, T.bool(False))
# CHECK: B[3] = {{[A-Z_0-9]+}}[3]
