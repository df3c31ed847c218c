# A marked statement that is not a copy along loops is an error that says why.
# RUN: %relayopt --passes='tir.InjectCopyIntrin<pragma_key=copy;fintrin=f>' --verify-diagnostics --split-input-file --disable-output %s
# RUN: not %relayopt --passes='tir.InjectCopyIntrin<fintrin=f>' --split-input-file %s 2>&1 | FileCheck --check-prefix=KEY %s
# RUN: not %relayopt --passes='tir.InjectCopyIntrin<pragma_key=copy>' --split-input-file %s 2>&1 | FileCheck --check-prefix=NAME %s
# KEY: error: tir.InjectCopyIntrin needs the option pragma_key
# NAME: error: tir.InjectCopyIntrin needs the option fintrin
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 8), "float32")):
    if A[0] > T.float32(0):
        with T.attr(0, "pragma_copy", 1):
            for i in range(1, 16):  # expected-error {{pragma_copy marks no copy: a loop does not begin at 0}}
                A[i] = B[i]

# -----

from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 8), "float32")):
    if A[0] > T.float32(0):
        with T.attr(0, "pragma_copy", 1):
            for i in range(4):
                for j in range(i + 1):  # expected-error {{pragma_copy marks no copy: the extent of a loop depends on another loop}}
                    A[i * 4 + j] = B[j]

# -----

from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 8), "float32")):
    if A[0] > T.float32(0):
        with T.attr(0, "pragma_copy", 1):
            for i in range(4):
                if i < 3:  # expected-error {{pragma_copy marks no copy: the body is more than a store}}
                    A[i] = B[i]

# -----

from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 8), "float32")):
    if A[0] > T.float32(0):
        with T.attr(0, "pragma_copy", 1):
            for i in range(4):
                A[i] = B[i] + T.float32(1)  # expected-error {{pragma_copy marks no copy: the value that is stored is not a load}}

# -----

from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 8), "float32")):
    if A[0] > T.float32(0):
        with T.attr(0, "pragma_copy", 1):
            for i in range(8):
                A[i] = C[0, i]  # expected-error {{pragma_copy marks no copy: the buffers have more than one axis: tir.FlattenBuffer comes before}}

# -----

from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 8), "float32")):
    if A[0] > T.float32(0):
        with T.attr(0, "pragma_copy", 1):
            for i in range(8):
                A[i] = B[i * i]  # expected-error {{pragma_copy marks no copy: an index is not linear in the loop variables, or a vector}}

# -----

from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 8), "float32")):
    if A[0] > T.float32(0):
        with T.attr(0, "pragma_copy", 1):
            for i in range(8):
                A[i] = T.if_then_else(i * 2 < 8, B[i], T.float32(0))  # expected-error {{pragma_copy marks no copy: the condition is not one of bounds of loop variables}}

# -----

from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 8), "float32")):
    if A[0] > T.float32(0):
        with T.attr(0, "pragma_copy", 1):
            for i in range(8):
                A[i] = T.if_then_else(i < 4 or 6 < i, B[i], T.float32(0))  # expected-error {{pragma_copy marks no copy: the condition is not one of bounds of loop variables}}

# -----

from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 8), "float32")):
    if A[0] > T.float32(0):
        with T.attr(0, "pragma_copy", 1):
            for i in range(8):
                A[i] = T.if_then_else(i < 4, B[i], T.Cast("float32", i))  # expected-error {{pragma_copy marks no copy: the value of the padding depends on a loop}}
