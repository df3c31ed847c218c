# Threads that are launched otherwise than they are made, and buffers without a shape.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def j(A: T.Buffer((16,), "int32"), n: T.int32):
    T.launch_thread(n, 16)
# CHECK: [[#@LINE-1]]:21: error: ValueError: n is not an env_thread created using T.env_thread. [script-not-a-thread]
    A[0] = 1
@T.prim_func
def k(A: T.Buffer((16,), "int32")):
    tx = T.env_thread("threadIdx.x")
    with T.launch_thread(tx, 16):
        A[tx] = 1
    with T.launch_thread(tx, 8):
# CHECK: [[#@LINE-1]]:30: error: ValueError: Inconsistent extents of environment thread. [script-thread-extents]
        A[tx] = 1
@T.prim_func
def g(a: T.handle):
    A = T.match_buffer(a)
# CHECK: [[#@LINE-1]]:9: error: Shape must be specified when binding input param [script-match-buffer-shape]
    A[0] = 1
