# Methods of buffers are what they stand for: pointers, offsets and stores.
# RUN: %relayopt %s --verify-roundtrip | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, B: T.Buffer((16, 4), "int8"), C: T.Buffer((), "int8"), n: T.int32):
    s = T.int32()
    A = T.match_buffer(a, (16, 16), "float16", strides=[s, 1], offset_factor=8)
    T.evaluate(T.call_extern("int32", "f", A.access_ptr("r"), A.access_ptr("w", offset=n)))
    # CHECK: T.tvm_access_ptr(T.type_annotation("float16"), A.data, A.elem_offset, A.strides[0] * 16, 1)
    # CHECK-SAME: T.tvm_access_ptr(T.type_annotation("float16"), A.data, A.elem_offset + n, A.strides[0] * 16 - n, 2)
    T.evaluate(T.call_extern("int32", "f", B.access_ptr(3, extent=7), C.access_ptr("rw")))
    # CHECK: T.tvm_access_ptr(T.type_annotation("int8"), B.data, 0, 7, 3)
    # CHECK-SAME: T.tvm_access_ptr(T.type_annotation("int8"), C.data, 0, 1, 3)
    # The offset counts vectors, too, which TVM forgets.
    T.evaluate(T.call_extern("int32", "f", B.access_ptr("r", "handle", 4, 8)))
    # CHECK: T.tvm_access_ptr(T.type_annotation("int8x4"), B.data, 2, 14, 1)
    T.evaluate(B.offset_of([n, 3])[0])
    # CHECK: T.evaluate(n * 4 + 3)
    B.vstore([1, 0], T.broadcast(T.int8(1), 4))
    # CHECK: B[1, 0:4] = T.Broadcast(T.int8(1), 4)
    B.vstore((2, n), B.vload([3, n]))
    # CHECK: B[2, n] = B[3, n]
