# What a later iteration reads is told by a loop, and by indices that can be told.
# RUN: %relayopt --passes=tir.InjectPrefetch --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.func_attr({"from_legacy_te_schedule": True})
    with T.attr(A, "prefetch_scope", 2):  # expected-error {{a prefetch_scope must be inside a loop}}
        for j in range(8):
            B[j] = A[j]

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int32")):
    T.func_attr({"from_legacy_te_schedule": True})
    for i in range(8):
        with T.attr(A, "prefetch_scope", 2):  # expected-warning {{nothing is prefetched: the region of A that is read cannot be determined}}
            for j in range(8):
                A[j] = A[B[i * 8 + j]]
