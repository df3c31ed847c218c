# The block is a store to shared memory in a nest of serial loops, inside of the block that allocates the memory.
# RUN: %relayopt --passes=tir.ManifestSharedMemoryLocalStage --verify-diagnostics --split-input-file %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        # expected-error@+1 {{tir.ManifestSharedMemoryLocalStage: the body of the block must be a store to shared memory}}
        with T.block(""):
            T.reads(A[i])
            T.writes(C[i])
            T.block_attr({"tir.manifest_shared_memory_local_stage": 1})
            C[i] = A[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.block(""):
        S = T.alloc_buffer((8,), "float32", scope="shared")
        # expected-error@+1 {{tir.ManifestSharedMemoryLocalStage: loops around the block must be serial or vectorized}}
        for i in T.unroll(8):
            with T.block(""):
                T.reads(A[i])
                T.writes(S[i])
                T.block_attr({"tir.manifest_shared_memory_local_stage": 1})
                S[i] = A[i]
        C[0] = S[0]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.block(""):
        S = T.alloc_buffer((8,), "float32", scope="shared")
        for i in range(8):
            # expected-error@+1 {{tir.ManifestSharedMemoryLocalStage: a loop around the block must contain nothing but the nest}}
            with T.block(""):
                T.reads(A[i])
                T.writes(S[i])
                T.block_attr({"tir.manifest_shared_memory_local_stage": 1})
                S[i] = A[i]
            C[i] = S[i]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.block(""):
        S = T.alloc_buffer((8,), "float32", scope="shared")
        with T.block(""):
            T.reads(A[0:8])
            T.writes(S[0:8])
            for i in range(8):
                # expected-error@+1 {{tir.ManifestSharedMemoryLocalStage: S is not allocated by the block around the loops}}
                with T.block(""):
                    T.reads(A[i])
                    T.writes(S[i])
                    T.block_attr({"tir.manifest_shared_memory_local_stage": 1})
                    S[i] = A[i]
        C[0] = S[0]
