# A convolution whose threads fetch what they share.
# RUN: %relayopt --passes='default<tir>' --validate=each %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='default<tir.build;target=cuda>' --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=STEPS
# RUN: %relayopt --passes='default<tir.build;target=cuda;host=c>' %s | FileCheck --check-prefix=BUILD %s
from tvm.script import tir as T

@T.prim_func
def main(data: T.Buffer((1, 4, 10, 10), "float32"), weight: T.Buffer((8, 4, 3, 3), "float32"), out: T.Buffer((1, 8, 8, 8), "float32")):
    tile = T.alloc_buffer((1, 4, 10, 10), scope="shared")
    for k in T.thread_binding(8, thread="blockIdx.x"):
        for ty in T.thread_binding(8, thread="threadIdx.y"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                for c, step in T.grid(4, 2):
                    with T.block("fetch"):
                        vc = T.axis.spatial(4, c)
                        vy = T.axis.spatial(10, (step * 64 + ty * 8 + tx) // 10)
                        vx = T.axis.spatial(10, (step * 64 + ty * 8 + tx) % 10)
                        T.where(step * 64 + ty * 8 + tx < 100)
                        tile[0, vc, vy, vx] = data[0, vc, vy, vx]
                for c, dy, dx in T.grid(4, 3, 3):
                    with T.block("conv"):
                        vk, vy, vx, vc, vdy, vdx = T.axis.remap("SSSRRR", [k, ty, tx, c, dy, dx])
                        with T.init():
                            out[0, vk, vy, vx] = T.float32(0)
                        out[0, vk, vy, vx] = out[0, vk, vy, vx] + tile[0, vc, vy + vdy, vx + vdx] * weight[vk, vc, vdy, vdx]
# CHECK:      0 mismatches
# CHECK:      blockIdx_x = T.launch_thread("blockIdx.x", 8)
# CHECK:      tile = T.allocate([400], "float32", "shared")
# BUILD:      "host": {"keys": ["cpu"], "kind": "c", "tag": ""}
# BUILD:      "tir.kernel_launch_params": ["blockIdx.x", "threadIdx.y", "threadIdx.x"]
# STEPS: validate: {{[0-9]+}} passes: {{[0-9]+}} ok {{.*}}, 0 mismatches, {{[0-9]+}} unchanged, 0 not validated
