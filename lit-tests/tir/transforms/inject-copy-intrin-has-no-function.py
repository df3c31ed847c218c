# RUN: %relayopt --passes='tir.InjectCopyIntrin<pragma_key=other>' %s | FileCheck %s
# RUN: not %relayopt --passes='tir.InjectCopyIntrin<pragma_key=memcpy>' %s 2>&1 | FileCheck --check-prefix=MARKED %s
# RUN: not %relayopt --passes='tir.InjectCopyIntrin' %s 2>&1 | FileCheck --check-prefix=KEY %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    with T.attr(0, "pragma_memcpy", 1):
        for i in range(16):
            A[i] = B[i]
# CHECK:  T.attr(0, "pragma_memcpy", 1)
# MARKED: :8:5: error: tir.InjectCopyIntrin is not supported{{.*}} [copy-intrin-function]
# KEY:    error: tir.InjectCopyIntrin needs the option pragma_key
