# Steps of loops, kinds of assertions, unknown names in quotes, and other marks of functions; each with one message.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tirx as T

size = TypeVar("n")
# CHECK: [[#@LINE-1]]:8: error: this needs a Python interpreter: a definition outside of the module by TypeVar

@T.prim_func(persistent=True)
# CHECK: [[#@LINE-1]]:14: error: @T.prim_func has no argument persistent
def marked(A: T.Buffer((16,), "float32")):
    A[0] = T.float32(1)

@T.prim_func(s_tir=True)
def steps(A: T.Buffer((16,), "float32")):
    for i in range(1, 5, 2):
# CHECK: [[#@LINE-1]]:26: error: a loop cannot have a step
        A[i] = T.float32(0)

@T.prim_func(s_tir=True)
def kinds(A: T.Buffer((16,), "float32"), n: T.int32):
    assert n < 3, ("TypeError", ["no"])
# CHECK: [[#@LINE-1]]:20: error: expected "RuntimeError", found TypeError
    A[0] = T.float32(0)

@T.prim_func(s_tir=True)
def unknown(A: T.Buffer(("n + k",), "float32"), n: T.int32):
# CHECK: [[#@LINE-1]]:31: error: Undefined variable: k
    A[0] = T.float32(0)

@T.prim_func(s_tir=True)
def half(A: T.Buffer(("n, n",), "float32"), n: T.int32):
# CHECK: [[#@LINE-1]]:25: error: expected the end of the extent, found ,
    A[0] = T.float32(0)
