# Threads have one literal extent.
# RUN: %relayopt --passes=tir.VerifyGPUCode --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    t = T.launch_thread("threadIdx.x", n)  # expected-error {{the extent of threadIdx.x is not a literal}}
    A[t] = T.float32(1)

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.launch_thread("blockIdx.x", 2) as b:
        with T.launch_thread("threadIdx.x", 4) as t:
            with T.launch_thread("threadIdx.x", 8) as u:  # expected-error {{threadIdx.x has the extent 8 here, and 4 in an earlier launch}}
                A[t] = T.float32(1)

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    t = T.launch_thread("threadIdx.x", 4)
    v = T.launch_thread("vthread", n)  # expected-error {{the extent of vthread is not a literal}}
    A[t] = T.float32(1)
