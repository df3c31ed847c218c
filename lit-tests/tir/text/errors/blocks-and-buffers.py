# Blocks and buffers that cannot be.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def d(A: T.Buffer((16,), "int32")):
    T.reads(A[0])
# CHECK: [[#@LINE-1]]:5: error: ValueError: T.reads must be called at the top of a block [script-place]
@T.prim_func
def f(A: T.Buffer((16,), "int32"), n: T.int32):
    B = T.match_buffer(A.data, (4,), "int32")
# CHECK: [[#@LINE-1]]:24: error: ValueError: Can not bind non-input param to buffer. [script-match-buffer]
@T.prim_func
def h(A: T.Buffer((16,), "int32")):
    with T.block("b"):
        B = T.match_buffer(A[0:4], (2, 4), "int8")
# CHECK: [[#@LINE-1]]:13: error: a buffer cannot be matched with this region: their types differ [script-region-match]
        B[0, 0] = T.int8(1)
@T.prim_func
def l(A: T.Buffer((16,), "int32")):
    with T.block("b"):
        v = T.axis.spatial(4, 1.5)
# CHECK: [[#@LINE-1]]:13: error: BlockRealize iter_value expected a IntImm, but got float32 [script-block-binding]
        A[v] = 1
@T.prim_func
def h2(A: T.Buffer((16,), "int32"), n: T.int32):
    with T.block("b"):
        v, w = T.axis.remap("SX", [n, n])
# CHECK: [[#@LINE-1]]:36: error: TypeError: Variable is not in the loop: n [script-remap]
        A[0] = 1
@T.prim_func
def e(A: T.Buffer((16,), "int32")):
    with T.block("b"):
        T.reads(A[0])
        T.reads(A[1])
# CHECK: [[#@LINE-1]]:9: error: ValueError: Duplicate read region declaration [script-twice]
        A[0] = 1
