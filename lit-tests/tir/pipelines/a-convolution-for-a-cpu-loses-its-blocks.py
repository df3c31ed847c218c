# A convolution over a padded copy of its data.
# RUN: %relayopt --passes='default<tir>' --validate=each %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='default<tir.build;target=llvm>' --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=STEPS
# RUN: %relayopt --passes='default<tir;phase=1>' %s | FileCheck --check-prefix=FLAT %s
from tvm.script import tir as T

@T.prim_func
def main(data: T.Buffer((1, 4, 10, 10), "float32"), weight: T.Buffer((8, 4, 3, 3), "float32"), out: T.Buffer((1, 8, 10, 10), "float32")):
    pad = T.alloc_buffer((1, 4, 12, 12))
    for n, c, y, x in T.grid(1, 4, 12, 12):
        with T.block("pad"):
            vn, vc, vy, vx = T.axis.remap("SSSS", [n, c, y, x])
            pad[vn, vc, vy, vx] = T.if_then_else(1 <= vy and vy < 11 and 1 <= vx and vx < 11, data[vn, vc, vy - 1, vx - 1], T.float32(0))
    for n, k, y in T.grid(1, 8, 10):
        for x in T.vectorized(10):
            for c, dy, dx in T.grid(4, 3, 3):
                with T.block("conv"):
                    vn, vk, vy, vx, vc, vdy, vdx = T.axis.remap("SSSSRRR", [n, k, y, x, c, dy, dx])
                    with T.init():
                        out[vn, vk, vy, vx] = T.float32(0)
                    out[vn, vk, vy, vx] = out[vn, vk, vy, vx] + pad[vn, vc, vy + vdy, vx + vdx] * weight[vk, vc, vdy, vdx]
# CHECK:      0 mismatches
# CHECK-NOT:  T.block
# CHECK:      T.if_then_else(
# FLAT-NOT:   T.block
# FLAT:       for x in T.vectorized(10):
# STEPS: validate: {{[0-9]+}} passes: {{[0-9]+}} ok {{.*}}, 0 mismatches, {{[0-9]+}} unchanged, 0 not validated
