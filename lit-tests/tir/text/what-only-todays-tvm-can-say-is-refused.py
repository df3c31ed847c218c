# Steps of loops, kinds of assertions, extents that are computed in quotes, and other marks of functions; each with one message.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tirx as T

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
def computed(A: T.Buffer(("n + 1",), "float32"), n: T.int32):
# CHECK: [[#@LINE-1]]:27: error: expected the name of a variable of the function, found n + 1
    A[0] = T.float32(0)

@T.prim_func
def annotated():
    A = T.alloc_buffer((4,), annotations={"a": 1})
# CHECK: [[#@LINE-1]]:9: error: T.alloc_buffer has no argument annotations
