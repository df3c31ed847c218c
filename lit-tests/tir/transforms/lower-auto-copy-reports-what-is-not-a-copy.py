# A block with auto_copy is a nest of loops around one store, of a form that the rewrites know.
# RUN: %relayopt --passes=tir.LowerAutoCopy --verify-diagnostics --split-input-file %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    S = T.alloc_buffer((8,), "float32", scope="shared")
    # expected-error@+1 {{tir.LowerAutoCopy: a block with auto_copy must be a nest of serial loops around one store, with one written region and one read region, or several of which one is a wmma.accumulator}}
    with T.block(""):
        T.reads(A[0:8], B[0:8])
        T.writes(S[0:8])
        T.block_attr({"auto_copy": 1})
        for i in range(8):
            S[i] = A[i] + B[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), n: T.int32):
    S = T.alloc_buffer((8,), "float32", scope="shared")
    # expected-error@+1 {{tir.LowerAutoCopy: the loops of a copy must begin at 0 and have literal extents}}
    with T.block(""):
        T.reads(A[0:8])
        T.writes(S[0:8])
        T.block_attr({"auto_copy": 1})
        for i in range(n):
            S[i] = A[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    S = T.alloc_buffer((4, 4), "float32", scope="shared")
    # expected-error@+1 {{tir.LowerAutoCopy: a copy from shared memory must load by its loop variables in order, and store to a permutation of them}}
    with T.block(""):
        T.reads(S[0:4, 0:4])
        T.writes(A[0:16])
        T.block_attr({"auto_copy": 1})
        for i, j in T.grid(4, 4):
            A[i * 4 + j] = S[i, j]

# -----
from tvm.script import tir as T

@T.prim_func
def main():
    S = T.alloc_buffer((16, 8), "float16", scope="shared")
    F = T.alloc_buffer((16, 8), "float16", scope="wmma.matrix_a")
    # expected-error@+1 {{tir.LowerAutoCopy: a copy of a matrix fragment must be a plain copy (to global memory: with one load of the fragment) with two innermost loops over its last two dimensions whose extents are multiples of 16, and fragments that are loaded must be float16}}
    with T.block(""):
        T.reads(S[0:16, 0:8])
        T.writes(F[0:16, 0:8])
        T.block_attr({"auto_copy": 1})
        for i, j in T.grid(16, 8):
            F[i, j] = S[i, j]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), "float32")):
    F = T.alloc_buffer((16, 16), "float32", scope="m16n8k8.matrixC")
    # expected-error@+1 {{tir.LowerAutoCopy: copies from m16n8k8.matrixC to global memory are not supported}}
    with T.block(""):
        T.reads(F[0:16, 0:16])
        T.writes(A[0:16, 0:16])
        T.block_attr({"auto_copy": 1})
        for i, j in T.grid(16, 16):
            A[i, j] = F[i, j]

# -----
from tvm.script import tir as T

@T.prim_func
def main():
    S = T.alloc_buffer((32, 32), "float16", scope="shared")
    F = T.alloc_buffer((32, 32), "float16", scope="wmma.matrix_a")
    # expected-error@+1 {{tir.LowerAutoCopy: a copy of a matrix fragment must be a plain copy (to global memory: with one load of the fragment) with two innermost loops over its last two dimensions whose extents are multiples of 16, and fragments that are loaded must be float16}}
    with T.block(""):
        T.reads(S[0:32, 0:32])
        T.writes(F[0:32, 0:32])
        T.block_attr({"auto_copy": 1})
        for i, j in T.grid(16, 16):
            F[i * 2, j] = S[i * 2, j]
