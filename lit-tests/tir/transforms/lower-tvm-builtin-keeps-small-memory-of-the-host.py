# 1020 bytes stay, 1024 come from the runtime, which is asked to free them after the last use.
# RUN: %relayopt --passes=tir.LowerTVMBuiltin %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main():
    T.func_attr({"target": T.target("llvm")})
    T.attr("default", "device_id", 0)
    T.attr("default", "device_type", 1)
    A = T.decl_buffer((255,), "float32")
    B = T.decl_buffer((256,), "float32")
    A[0] = T.float32(0)
    B[0] = A[0]
# CHECK:      A = T.decl_buffer((255,))
# CHECK-NEXT: B: T.handle("float32", "global") = T.TVMBackendAllocWorkspace(1, 0, T.uint64(1024), 2, 32)
# CHECK-NEXT: T.attr(B, "storage_alignment", 64)
# CHECK-NEXT: if T.isnullptr(B):
# CHECK-NEXT:     T.tvm_throw_last_error()
# CHECK-NEXT: B_1 = T.decl_buffer((256,), data=B)
# CHECK-NEXT: A[0] = T.float32(0)
# CHECK-NEXT: B_1[0] = A[0]
# CHECK-NEXT: if T.TVMBackendFreeWorkspace(1, 0, B) != 0:
# CHECK-NEXT:     T.tvm_throw_last_error()
