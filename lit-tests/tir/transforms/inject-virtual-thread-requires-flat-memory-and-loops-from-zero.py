# Each thread has flat memory of its own and runs loops that count up from 0.
# RUN: %relayopt --passes=tir.InjectVirtualThread --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    vt = T.launch_thread("vthread", 2)
    while A[vt] < T.float32(3):  # expected-error {{a while loop in a virtual thread is not supported}}
        A[vt] = A[vt] + T.float32(1)

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    vt = T.launch_thread("vthread", 2)
    for i in range(1, 3):  # expected-error {{a loop in a virtual thread must begin at 0}}
        A[vt] = A[vt] + T.float32(1)

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    vt = T.launch_thread("vthread", 2)
    b = T.allocate([2, 2], "float32", "local")  # expected-error {{B, which depends on a virtual thread, must have one dimension}}
    B = T.Buffer((2, 2), data=b, scope="local", axis_separators=[1])
    B[0, 0] = A[vt]
    A[vt] = B[0, 0]

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    vt = T.launch_thread("vthread", 2)
    b = T.allocate([4], "float32", "local")
    B = T.Buffer((4,), data=b, scope="local")
    B[0] = A[vt]
    T.call_extern("int32", "f", b)  # expected-error {{the address of B, which virtual threads have several of, is used}}
    A[vt] = B[0]
