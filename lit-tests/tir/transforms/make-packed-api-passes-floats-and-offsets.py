# Floats are passed and returned as float64; an offset of known factor is checked; strides of an array that has none are
# those of its extents.
# RUN: %relayopt --passes=tir.MakePackedAPI %s | FileCheck %s
# RUN: %relayopt --passes=tir.MakePackedAPI --validate --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, x: T.float32, b: T.bool, s: T.handle) -> T.float32:
    T.func_attr({"target": T.target("llvm", host="llvm"), "global_symbol": "main"})
    off = T.int32()
    n = T.int32()
    A = T.match_buffer(a, (n, 4), "float32", elem_offset=off, offset_factor=8)
    S = T.match_buffer(s, (4, 4), "float16", strides=("p", "q"))
    A[0, 0] = x
    if b:
        T.ret(x)
    T.ret(A[0, 1])
# CHECK:      x: T.float32 = T.Cast("float32", T.tvm_struct_get(args, 1, 12, "float64"))
# CHECK-NEXT: b: T.bool = T.Cast("bool", T.tvm_struct_get(args, 2, 12, "int64"))
# CHECK:      off: T.int32 = T.Cast("int32", T.Div(T.tvm_struct_get(a, 0, 8, "uint64"), T.uint64(4)))
# CHECK:      S_s1: T.int32 = T.if_then_else(T.isnullptr(main_s_strides), 1, T.Cast("int32", main_s_strides_1[1]))
# CHECK-NEXT: S_s0: T.int32 = T.if_then_else(T.isnullptr(main_s_strides), T.Cast("int32", main_s_shape_1[1]), T.Cast("int32", main_s_strides_1[0]))
# CHECK:      assert x_code == 2, "main: Expect arg[1] to be float"
# CHECK-NEXT: assert b_code == 0, "main: Expect arg[2] to be int"
# CHECK:      assert T.truncmod(off, 8) == 0, "Argument main.a.elem_offset has an unsatisfied constraint: T.truncmod(off, 8) == 0"
# CHECK:      if b:
# CHECK-NEXT:     out_ret_value_1[0] = T.Cast("float64", x)
# CHECK-NEXT:     out_ret_tcode_1[0] = 2
# CHECK-NEXT:     T.ret(0)
# CHECK:      out_ret_value_1[0] = T.Cast("float64", A_1[0, 1])
# VALID:      validate: 1 pass: 1 ok
