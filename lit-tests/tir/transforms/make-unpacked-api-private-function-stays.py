# A private function, and one with a calling convention, keeps its parameters.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.MakeUnpackedAPI %s | cmp - %t
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(A: T.Buffer((8,), "float32")):
        T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
        A[0] = T.float32(0)

    @T.prim_func
    def g(A: T.Buffer((8,), "float32")):
        T.func_attr({"calling_conv": 2, "target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
        A[0] = T.float32(0)
