# A product of matrices with tiles in shared memory, from blocks to a kernel and the function that launches it.
# RUN: %relayopt --passes='default<tir>' --validate=each %S/../../../docs/examples/product.py 2>&1 | FileCheck %s
# RUN: %relayopt --passes='default<tir.build;target=cuda>' %S/../../../docs/examples/product.py | FileCheck --check-prefix=BUILD %s
# RUN: %relayopt --passes='default<tir.build;target=cuda>' --validate=each --disable-output %S/../../../docs/examples/product.py 2>&1 | FileCheck %s --check-prefix=STEPS
# CHECK:      0 mismatches
# CHECK-NOT:  T.block
# CHECK:      C_local = T.allocate([1], "float32", "local")
# CHECK:      A_shared = T.allocate([64], "float32", "shared")
# BUILD:      def main_kernel(
# BUILD-SAME: C: T.handle("float32", "global")
# BUILD:      "tir.kernel_launch_params": ["blockIdx.y", "blockIdx.x", "threadIdx.y", "threadIdx.x"]
# BUILD:      T.tvm_storage_sync("shared")
# BUILD:      A_shared_1[threadIdx_y * 8 + threadIdx_x] =
# BUILD:      T.tvm_storage_sync("shared")
# BUILD-NEXT: for ki in range(8):
# BUILD:      def main(args: T.handle
# BUILD:      T.call_packed_lowered("main_kernel", stack_value, stack_tcode, 0, 7)
# STEPS: validate: {{[0-9]+}} passes: {{[0-9]+}} ok {{.*}}, 0 mismatches, {{[0-9]+}} unchanged, 0 not validated
