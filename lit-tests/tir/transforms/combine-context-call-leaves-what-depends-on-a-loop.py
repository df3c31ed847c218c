# A context that depends on something inside of a scope cannot be asked for in front of the scope: it is evaluated where
# it is needed. What is defined outside of the scope does not matter.
# RUN: %relayopt --passes=tir.CombineContextCall %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.func_attr({"target": T.target("llvm")})
    for i in range(4):
        T.call_extern("int32", "f", T.tvm_thread_context(T.call_extern("handle", "c", i), dtype="handle"))
        for j in T.parallel(4):
            T.call_extern("int32", "g", T.tvm_thread_context(T.call_extern("handle", "c", i), dtype="handle"))
            T.call_extern("int32", "h", T.tvm_thread_context(T.call_extern("handle", "c", j), dtype="handle"))
    T.call_extern("int32", "f", T.tvm_thread_context(T.call_extern("handle", "c", n), dtype="handle"))
# CHECK:      ctx_cache_: T.handle = T.call_extern("handle", "c", n)
# CHECK-NEXT: for i in range(4):
# CHECK-NEXT:     T.call_extern("int32", "f", T.call_extern("handle", "c", i))
# CHECK-NEXT:     ctx_cache__1: T.handle = T.call_extern("handle", "c", i)
# CHECK-NEXT:     for j in T.parallel(4):
# CHECK-NEXT:         T.call_extern("int32", "g", ctx_cache__1)
# CHECK-NEXT:         T.call_extern("int32", "h", T.call_extern("handle", "c", j))
# CHECK-NEXT: T.call_extern("int32", "f", ctx_cache_)
