# An access is a pointer into memory of the program, which has addresses.
# RUN: %relayopt --passes=tir.LowerDeviceStorageAccessInfo --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main():
    b = T.allocate([16], "float32", "global.texture")
    T.call_extern("int32", "f", T.tvm_access_ptr(T.type_annotation("float32"), b, 0, 8, 1))  # expected-error {{b lies in a memory without addresses}}

// -----

from tvm.script import tir as T

@T.prim_func
def main():
    T.call_extern("int32", "f", T.tvm_access_ptr(T.type_annotation("float32"), T.reinterpret("handle", T.uint64(8)), 0, 8, 1))  # expected-error {{T.tvm_access_ptr needs a type, a variable, offset, extent and mask}}
