# Parts of one allocation have one index.
# RUN: %relayopt --passes=tir.MergeDynamicSharedMemoryAllocations --verify-diagnostics --disable-output %s
# expected-error@unknown {{dynamic shared memory B is accessed with several indices: run tir.FlattenBuffer first}}
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    tx = T.launch_thread("threadIdx.x", 4)
    b = T.allocate([16], "float32", "shared.dyn")
    c = T.allocate([16], "float32", "shared.dyn")
    B = T.Buffer((4, 4), data=b, scope="shared.dyn")
    C = T.Buffer((16,), data=c, scope="shared.dyn")
    C[tx] = T.float32(1)
    B[tx, 0] = C[tx]
