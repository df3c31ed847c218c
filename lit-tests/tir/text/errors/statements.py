# Statements that mean nothing.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def a(A: T.Buffer((16,), "int32")):
    for i in A:
# CHECK: [[#@LINE-1]]:14: error: Expect the for loop to be one of the following: range, T.serial, T.grid, T.parallel, T.vectorized, T.unroll, T.thread_binding [script-for]
        A[i] = 1
@T.prim_func
def b(A: T.Buffer((16,), "int32")):
    with A:
# CHECK: [[#@LINE-1]]:10: error: Invalid context expression in the with-statement. [script-with]
        A[0] = 1
@T.prim_func
def c(A: T.Buffer((16,), "int32")):
    while True:
# CHECK: [[#@LINE-1]]:11: error: The condition should not be trivial. [script-while]
        A[0] = 1
@T.prim_func
def o(A: T.Buffer((16,), "int32")):
    return A
# CHECK: [[#@LINE-1]]:5: error: Return is not allowed. [script-return]
@T.prim_func
def m(A: T.Buffer((16,), "int32")):
    with T.block("b"):
        T.evaluate(T.tvm_access_ptr(T.type_annotation("int32"), A.data, 0, 4, 1))
@T.prim_func
def n(A: T.Buffer((16,), "int32")):
    B = T.allocate_const([1, 2, 3], "int32", [4])
# CHECK: [[#@LINE-1]]:26: error: a constant of 4 elements cannot have 3 of them [script-constant-size]
    A[0] = 1
