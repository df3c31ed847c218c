# All memory of one special scope is one allocation, in which elements are at multiples of their size.
# RUN: %relayopt --passes=tir.StorageRewrite --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    b = T.allocate([2147483647], "float32x4", "local.vtcm")  # expected-error {{tir.StorageRewrite: 274877906816 bits are allocated in local.vtcm, which has 33554432}}
    B = T.Buffer((16,), "float32x4", data=b, scope="local.vtcm")
    B[0] = T.Broadcast(A[0], 4)
    A[0:4] = B[0]

// -----

# expected-error@unknown {{tir.StorageRewrite: elements of 64 bits do not fit at an offset of 32 bits}}
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int8"), D: T.Buffer((16,), "int64")):
    b = T.allocate([4], "int8", "local.UB")
    B = T.Buffer((4,), "int8", data=b, scope="local.UB")
    c = T.allocate([2], "int64", "local.UB")
    C = T.Buffer((2,), "int64", data=c, scope="local.UB")
    B[0] = A[0]
    C[0] = D[0]
    A[1] = B[0]
    D[1] = C[0]
