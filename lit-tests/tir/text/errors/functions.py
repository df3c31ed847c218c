# Functions of a module are made by decorators, once, with typed parameters.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def a(A: T.Buffer((16,), "int32")):
        A[0] = 1
    @T.prim_func
    def a(A: T.Buffer((16,), "int32")):
# CHECK: [[#@LINE-1]]:9: error: function a already exists [script-duplicate-function]
        A[0] = 1
    @T.hybrid
# CHECK: [[#@LINE-1]]:6: error: expected @I.ir_module or @T.prim_func, found @T.hybrid [script-decorator]
    def b(A: T.Buffer((16,), "int32")):
        A[0] = 1
    @T.prim_func
    def c(A):
# CHECK: [[#@LINE-1]]:11: error: Type annotation required for function parameters. [script-parameter-type]
        A[0] = 1
    @T.prim_func
    def d(A: T.Buffer((16,), "int32")):
        x: T.Buffer((1,)) = 1
# CHECK: [[#@LINE-1]]:12: error: Annotation should be Var [script-annotation]
    @T.prim_func
    def e(A: T.Buffer((16,), "int32")):
        return A
# CHECK: [[#@LINE-1]]:9: error: Return is not allowed. [script-return]
    @T.prim_func
    def f(A: T.Buffer((16,), "int32")) -> A.shape:
# CHECK: [[#@LINE-1]]:43: error: Annotation should be Var [script-annotation]
        A[0] = 1
    @T.prim_func
    def g(A: T.Buffer((16,), "int32")) -> 3:
# CHECK: [[#@LINE-1]]:43: error: Annotation should be Var [script-annotation]
        A[0] = 1
