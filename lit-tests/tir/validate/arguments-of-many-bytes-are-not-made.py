# Buffers that take a lot of memory together are not made, whether one is large or there are many.
# UNSUPPORTED: sanitizer
# RUN: %relayopt --passes=tir.Simplify --validate --disable-output %s 2>&1 | FileCheck %s
# RUN: not bash -c 'ulimit -v 200000; exec "$0" "$@"' %relayopt --run %s 2>&1 | FileCheck --check-prefix=RUN-ONCE %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((16384, 4096), "float32"), B: T.Buffer((16384, 4096), "float32"), C: T.Buffer((16384, 4096), "float32"), D: T.Buffer((16384, 4096), "float32"), E: T.Buffer((16384, 4096), "float32")):
    # CHECK: 1 not validated (evaluation-limit)
    # RUN-ONCE: error: evaluation takes more than 1073741824 bytes of arguments
    A[0, 0] = B[0, T.Add(0, 1)] + C[0, 0] + D[0, 0] + E[0, 0]
