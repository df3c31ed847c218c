// The names of the intrinsics, so that the compiler checks them: `"tir.exp"_intrin`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace relayopt::arith {

// Sorted. The row of each, with everything else about it, is in lib/arith/intrinsic_rows.cpp.
inline constexpr std::string_view kIntrinsicNames[] = {
    "tir.TVMBackendAllocWorkspace",
    "tir.TVMBackendFreeWorkspace",
    "tir.acos",
    "tir.acosh",
    "tir.address_of",
    "tir.asin",
    "tir.asinh",
    "tir.assume",
    "tir.atan",
    "tir.atan2",
    "tir.atanh",
    "tir.atomic_add",
    "tir.bitwise_and",
    "tir.bitwise_not",
    "tir.bitwise_or",
    "tir.bitwise_xor",
    "tir.call_extern",
    "tir.call_llvm_intrin",
    "tir.call_llvm_pure_intrin",
    "tir.call_pure_extern",
    "tir.call_spirv_pure_glsl450",
    "tir.ceil",
    "tir.clz",
    "tir.copysign",
    "tir.cos",
    "tir.cosh",
    "tir.create_barriers",
    "tir.cuda.__activemask",
    "tir.cuda.__shfl_down_sync",
    "tir.cuda.__shfl_sync",
    "tir.cuda.__shfl_up_sync",
    "tir.dma_copy",
    "tir.dma_end_group",
    "tir.dma_start_group",
    "tir.dma_wait",
    "tir.end_profile_intrinsic",
    "tir.erf",
    "tir.exp",
    "tir.exp10",
    "tir.exp2",
    "tir.fabs",
    "tir.floor",
    "tir.fma",
    "tir.fmod",
    "tir.hypot",
    "tir.if_then_else",
    "tir.isnan",
    "tir.isnullptr",
    "tir.large_uint_imm",
    "tir.ldexp",
    "tir.likely",
    "tir.log",
    "tir.log10",
    "tir.log1p",
    "tir.log2",
    "tir.lookup_param",
    "tir.metal.simd_shuffle",
    "tir.metal.simd_shuffle_down",
    "tir.metal.simd_shuffle_up",
    "tir.mma_fill",
    "tir.mma_store",
    "tir.nd_mem_alloc_with_scope",
    "tir.nearbyint",
    "tir.nextafter",
    "tir.popcount",
    "tir.pow",
    "tir.prefetch",
    "tir.ptx_arrive_barrier",
    "tir.ptx_arrive_barrier_expect_tx",
    "tir.ptx_commit_group",
    "tir.ptx_cp_async",
    "tir.ptx_cp_async_barrier",
    "tir.ptx_cp_async_bulk",
    "tir.ptx_init_barrier_thread_count",
    "tir.ptx_ldg32",
    "tir.ptx_ldmatrix",
    "tir.ptx_mma",
    "tir.ptx_mma_sp",
    "tir.ptx_wait_barrier",
    "tir.ptx_wait_group",
    "tir.q_multiply_shift",
    "tir.q_multiply_shift_per_axis",
    "tir.reinterpret",
    "tir.ret",
    "tir.round",
    "tir.rsqrt",
    "tir.shift_left",
    "tir.shift_right",
    "tir.sigmoid",
    "tir.sin",
    "tir.sinh",
    "tir.sqrt",
    "tir.start_profile_intrinsic",
    "tir.tan",
    "tir.tanh",
    "tir.texture2d_load",
    "tir.texture2d_store",
    "tir.trunc",
    "tir.tvm_access_ptr",
    "tir.tvm_bmma_sync",
    "tir.tvm_call_cpacked",
    "tir.tvm_call_cpacked_lowered",
    "tir.tvm_call_packed",
    "tir.tvm_call_packed_lowered",
    "tir.tvm_call_trace_packed",
    "tir.tvm_call_trace_packed_lowered",
    "tir.tvm_check_return",
    "tir.tvm_context_id",
    "tir.tvm_fill_fragment",
    "tir.tvm_global_barrier_kinit",
    "tir.tvm_load_matrix_sync",
    "tir.tvm_mma_sync",
    "tir.tvm_stack_alloca",
    "tir.tvm_stack_make_array",
    "tir.tvm_stack_make_shape",
    "tir.tvm_static_handle",
    "tir.tvm_storage_sync",
    "tir.tvm_store_matrix_sync",
    "tir.tvm_struct_get",
    "tir.tvm_struct_set",
    "tir.tvm_thread_allreduce",
    "tir.tvm_thread_context",
    "tir.tvm_throw_last_error",
    "tir.tvm_tuple",
    "tir.tvm_warp_activemask",
    "tir.tvm_warp_shuffle",
    "tir.tvm_warp_shuffle_down",
    "tir.tvm_warp_shuffle_up",
    "tir.type_annotation",
    "tir.undef",
    "tir.vectorcombine",
    "tir.vectorhigh",
    "tir.vectorlow",
};
inline constexpr size_t kNumIntrinsics = std::size(kIntrinsicNames);
static_assert(std::ranges::is_sorted(kIntrinsicNames) && kNumIntrinsics <= UINT8_MAX);

// An intrinsic, by its position in the list.
struct IntrinsicId {
  uint8_t index = 0;

  constexpr auto name() const -> std::string_view { return kIntrinsicNames[index]; }
  // NOLINTNEXTLINE(google-explicit-constructor): it is used where a name is.
  constexpr operator std::string_view() const { return name(); }
  friend constexpr auto operator==(IntrinsicId, IntrinsicId) -> bool = default;
};

}  // namespace relayopt::arith

namespace relayopt {

// Returns the intrinsic with this name, which includes `tir.`. A misspelt name does not compile.
consteval auto operator""_intrin(const char* name, size_t size) -> arith::IntrinsicId {
  const auto* found = std::ranges::lower_bound(arith::kIntrinsicNames, std::string_view(name, size));
  if (found == std::end(arith::kIntrinsicNames) || *found != std::string_view(name, size)) {
    throw "no intrinsic of this name: see relayopt/arith/intrinsic_names.h";
  }
  return {static_cast<uint8_t>(found - std::begin(arith::kIntrinsicNames))};
}

}  // namespace relayopt
