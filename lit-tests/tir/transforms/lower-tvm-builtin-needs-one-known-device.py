# Memory of a device is got through the methods of that device.
# RUN: %relayopt --passes=tir.LowerTVMBuiltin --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main():
    T.func_attr({"target": T.target("llvm")})
    T.attr("default", "device_id", 0)
    T.attr("default", "device_id", 1)  # expected-error {{LowerTVMBuiltin: the function specifies its device twice}}
    T.evaluate(0)

// -----

from tvm.script import tir as T

@T.prim_func
def main():
    T.func_attr({"target": T.target("llvm")})
    T.attr("default", "device_id", 0)
    T.attr("default", "device_type", 999)
    p: T.handle("int8", "global.vtcm") = T.nd_mem_alloc_with_scope("global.vtcm", 1, T.tvm_stack_make_shape(64))  # expected-error {{LowerTVMBuiltin: the method alloc_nd needs a device that is known here}}
    T.call_extern("int32", "f", p)

// -----

from tvm.script import tir as T

@T.prim_func
def main():
    T.func_attr({"target": T.target("llvm")})
    T.attr("default", "device_id", 0)
    T.attr("default", "device_type", 16)
    with T.LetStmt(T.nd_mem_alloc_with_scope("global.vtcm", 1, T.tvm_stack_make_shape(64))) as p:  # expected-error {{LowerTVMBuiltin: memory needs a pointer with a type of elements}}
        T.call_extern("int32", "f", p)
