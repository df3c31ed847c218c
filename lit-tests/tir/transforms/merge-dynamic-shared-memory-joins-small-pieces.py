# Memory that needs more than any free piece covers several of them, however small they are, and what is padded is
# padded to the largest element of its layer.
# RUN: %relayopt --passes=tir.MergeDynamicSharedMemoryAllocations %s | FileCheck %s
# RUN: %relayopt --passes=tir.MergeDynamicSharedMemoryAllocations --validate --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
from tvm.script import tir as T

@T.prim_func
def small(A: T.Buffer((400,), "float32")):
    with T.launch_thread("threadIdx.x", 1) as tx:
        X = T.decl_buffer((2,), scope="shared.dyn")
        X[tx] = A[tx]
        A[tx] = X[tx]
        Y = T.decl_buffer((300,), scope="shared.dyn")
        for i in range(300):
            Y[i] = A[i]
        for i in range(300):
            A[i] = Y[i] + T.float32(1)

@T.prim_func
def halves(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float16")):
    with T.launch_thread("threadIdx.x", 1) as tx:
        X = T.decl_buffer((2,), scope="shared.dyn")
        Y = T.decl_buffer((5,), "float16", scope="shared.dyn")
        X[tx] = A[tx]
        Y[tx] = B[tx]
        A[tx] = X[tx]
        B[tx] = Y[tx]
# CHECK-LABEL: def halves
# CHECK:       T.allocate([20], "uint8", "shared.dyn")
# CHECK-LABEL: def small
# CHECK:       T.allocate([1200], "uint8", "shared.dyn")
# VALID:       validate: 1 pass: 1 ok
