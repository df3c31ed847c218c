# Rows have a length that can be permuted, and pointers say which memory they point to.
# RUN: %relayopt --passes=tir.InjectPermutedLayout --verify-diagnostics --split-input-file %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 48), "float16")):
    S = T.alloc_buffer((16, 48), "float16", scope="shared")
    with T.block(""):
        T.reads(A[0:16, 0:48])
        T.writes(S[0:16, 0:48])
        T.block_attr({"permuted_layout": 1})
        # expected-error@+1 {{tir.InjectPermutedLayout: S must have at least two dimensions, and rows of a multiple of 64 elements, or of 32 if their number is even}}
        S[1, 9] = A[1, 9]

# -----
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 64), "float16")):
    # expected-error@+1 {{tir.InjectPermutedLayout: the annotation permuted_layout must be an integer or a string}}
    with T.block(""):
        T.reads(A[0:16, 0:64])
        T.writes()
        T.block_attr({"permuted_layout": [1]})
        T.evaluate(A[0, 0])

# -----
from tvm.script import tir as T

@T.prim_func
def main():
    S = T.alloc_buffer((16, 64), "float16", scope="shared")
    R = T.alloc_buffer((8,), "float16", scope="local")
    with T.block(""):
        T.reads()
        T.writes()
        T.block_attr({"permuted_layout": 1})
        # expected-error@+1 {{tir.InjectPermutedLayout: the pointer to shared memory must be T.tvm_access_ptr of a known buffer}}
        T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", R.data, 0, S.data, 0)
