# Memory of a special scope has a literal size within its limit; accesses have as many indices as their allocation has extents.
# RUN: %relayopt --passes=tir.StorageRewrite --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    b = T.launch_thread("blockIdx.x", 4)
    with T.launch_thread("threadIdx.x", 4) as t:
        with T.attr(A.data, "virtual_thread", 1):  # expected-error {{threads inside of threads: run tir.InjectVirtualThread first}}
            with T.launch_thread("vthread", 2):
                A[t] = T.float32(1)

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    b = T.allocate([n], "float32", "local.UB")  # expected-error {{tir.StorageRewrite: memory of scope local.UB must have literal extents}}
    B = T.Buffer((16,), data=b, scope="local.UB")
    B[0] = A[0]
    A[1] = B[0]

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    b = T.allocate([4, 4], "float32", "global")
    B = T.Buffer((16,), data=b)
    B[0] = A[0]  # expected-error {{buffer B has 1 physical dimensions, and its allocation has 2}}
    A[1] = B[0]
