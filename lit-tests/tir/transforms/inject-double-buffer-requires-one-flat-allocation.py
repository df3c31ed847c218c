# Halves are for one flat allocation, which its scope fills and the loop around reads.
# RUN: %relayopt '--passes=tir.InjectDoubleBuffer<split_loop=2>' --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    for i in range(8):
        b = T.allocate([2, 2], "float32", "shared")  # expected-error {{only an allocation of one dimension can be double-buffered}}
        B = T.Buffer((2, 2), data=b, scope="shared", axis_separators=[1])
        with T.attr(b, "double_buffer_scope", 1):
            B[0, 0] = A[i]
        A[i] = B[0, 0]

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    for i in range(8):
        b = T.allocate([4], "float32", "shared")
        B = T.Buffer((4,), data=b, scope="shared")
        B[0] = T.float32(1)  # expected-error {{B is double buffered and written outside of its double_buffer_scope}}
        with T.attr(b, "double_buffer_scope", 1):
            B[0] = A[i]
        A[i] = B[0]

// -----

# expected-error@unknown {{B is double buffered and read outside of its double_buffer_scope}}
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    for i in range(8):
        b = T.allocate([4], "float32", "shared")
        B = T.Buffer((4,), data=b, scope="shared")
        A[i] = B[1]
        with T.attr(b, "double_buffer_scope", 1):
            B[0] = A[i]

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    for i in range(8):
        b = T.allocate([4], "float32", "shared")
        B = T.Buffer((2, 2), data=b, scope="shared")
        with T.attr(b, "double_buffer_scope", 1):
            B[1, 0] = A[i]  # expected-error {{only an allocation of one dimension can be double-buffered}}
        A[i] = B[1, 0]
