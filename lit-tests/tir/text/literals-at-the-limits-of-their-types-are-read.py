# Every number other than 0 is true; bool vectors have a new name in today's TVM.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(F: T.Buffer((4,), "float16"), b: T.bool):
    T.evaluate(T.float16(65504) + T.float16(-65504))
    # CHECK: T.float16(65504) + T.float16(-65504)
    T.evaluate(T.float32("inf"))
    # CHECK: T.float32("inf")
    T.evaluate(T.max_value("bfloat16"))
    # CHECK: T.bfloat16(3.4028234663852886e+38)
    T.evaluate(T.boolean(T.int32(2)))
    # CHECK: T.evaluate(T.bool(True))
    T.evaluate(T.bool(0.5))
    # CHECK: T.evaluate(T.bool(True))
    q: T.boolx4 = T.Broadcast(b, 4)
    T.evaluate(q)
    # CHECK: q: T.uint1x4 = T.Broadcast(b, 4)
    T.evaluate(0x_FF + 1_000 + 00)
    # CHECK: T.evaluate(1255)
    c = T.allocate_const([-32768, 15360], "float16", [2])
    T.evaluate(c)
    # CHECK: T.allocate_const([-32768, 15360], "float16", [2])
    T.evaluate(T.int1(1))
    # CHECK: T.evaluate(T.int1(1))
