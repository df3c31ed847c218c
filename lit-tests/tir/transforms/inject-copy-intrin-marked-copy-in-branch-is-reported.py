# The marked copy is found wherever it is, and the error points at it.
# RUN: %relayopt --passes='tir.InjectCopyIntrin<pragma_key=copy>' --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(16):
        if n > 0:
            with T.attr(0, "pragma_copy", 1):  # expected-error {{tir.InjectCopyIntrin is not supported}}
                A[i] = B[i]
