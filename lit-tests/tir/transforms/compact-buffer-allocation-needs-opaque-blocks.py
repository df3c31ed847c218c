# Blocks are opaque, and allocate memory once.
# RUN: %relayopt --passes=tir.CompactBufferAllocation --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("b"):  # expected-error {{tir.CompactBufferAllocation: a block still has iteration variables: run tir.ConvertBlocksToOpaque first}}
            v = T.axis.spatial(16, i)
            T.reads(A[v])
            T.writes(A[v])
            A[v] = A[v] + T.float32(1)

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.block("b"):  # expected-error {{tir.CompactBufferAllocation: a block still has an initialisation: run tir.LowerInitBlock first}}
        T.reads(A[0])
        T.writes(A[0])
        with T.init():
            A[0] = T.float32(0)
        A[0] = A[0] + T.float32(1)

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.block("b"):  # expected-error {{buffer B, which a block allocates, shares its memory with another one}}
        T.reads()
        T.writes(A[0])
        B = T.alloc_buffer((16,))
        C = T.Buffer((16,), data=B.data)
        C[0] = T.float32(1)
        A[0] = B[0]
