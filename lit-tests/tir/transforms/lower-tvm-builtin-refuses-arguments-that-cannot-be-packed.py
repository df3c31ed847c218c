# Packed arguments are numbers, handles and strings, one for each place.
# RUN: %relayopt --passes=tir.LowerTVMBuiltin --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.func_attr({"target": T.target("llvm")})
    T.call_packed("f", T.Broadcast(n, 4))  # expected-error {{LowerTVMBuiltin: a value of type int32x4 cannot be passed packed}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("float32")):
    T.func_attr({"target": T.target("llvm")})
    T.attr("default", "device_id", 0)
    T.attr("default", "device_type", 1)
    T.tvm_call_trace_packed("f", T.tvm_stack_make_array(A, T.tvm_stack_make_shape(4), 0, T.uint32(1), T.Cast("float32", 0), 0))  # expected-error {{LowerTVMBuiltin: an array cannot be traced}}

// -----

from tvm.script import tir as T

@T.prim_func
def main():
    T.func_attr({"target": T.target("llvm")})
    T.call_cpacked("f")  # expected-error {{LowerTVMBuiltin: this call has too few arguments}}
