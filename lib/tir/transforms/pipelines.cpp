// The passes that TVM runs over tensor programs before it generates code: `lower` in three phases, then what binds
// targets and splits host from device, then each half for itself.
#include "lib/tir/transforms/pipelines.h"

namespace relayopt::tir {

namespace {

// Blocks become loops over flat memory.
constexpr std::string_view kPhase1 =
    // Buffers of older schedules.
    "tir.InjectPrefetch,tir.TextureFlatten,"
    "with-config<tir.instrument_bound_checkers>(tir.StorageFlatten<create_bound_attribute=true>),"
    "without-config<tir.instrument_bound_checkers>(tir.StorageFlatten),"
    // Removes initializations and iteration variables of blocks, and moves their buffers to their uses.
    "tir.LowerCrossThreadReduction,tir.LowerInitBlock,tir.PlanAndUpdateBufferAllocationLocation,"
    "tir.ConvertBlocksToOpaque,"
    // Loops over threads are joined before buffers shrink to what a thread touches.
    "tir.LiftThreadBinding,tir.ManifestSharedMemoryLocalStage,tir.CompactBufferAllocation,tir.LowerAutoCopy,"
    "tir.UnifyThreadBinding,"
    "tir.LowerMatchBuffer,tir.Simplify,tir.InjectPermutedLayout,tir.Simplify,tir.InjectSoftwarePipeline,"
    "tir.TransformMmaBufferLayout,"
    // Removes the rest of blocks; then flattens buffers to one dimension.
    "tir.LowerOpaqueBlock,tir.FlattenBuffer,"
    // Narrow floats become wider ones to compute with; indices become narrow.
    "tir.FP8ComputeLegalize<promote_dtype_str=float16>,tir.BF16ComputeLegalize,tir.NarrowDataType<target_bits=32>,tir."
    "Simplify";
// Left out of `simple`.
constexpr std::string_view kPartition = ",tir.LoopPartition";
// Loops become vectors, threads and copies of their bodies; then memory is shared out.
constexpr std::string_view kPhase2 =
    ",with-config<tir.disable_vectorize>(tir.VectorizeLoop<enable_vectorize=false>),"
    "without-config<tir.disable_vectorize>(tir.VectorizeLoop),"
    "tir.InjectVirtualThread,tir.InjectDoubleBuffer,"
    "without-config<tir.disable_storage_rewrite>(tir.StorageRewrite),"
    "with-config<tir.use_async_copy>(tir.LowerAsyncDMA),"
    "tir.UnrollLoop";
// Cleans up, and guards what must not be evaluated.
constexpr std::string_view kPhase3 =
    ",tir.RenormalizeSplitPattern,tir.Simplify,tir.RemoveNoOp,tir.RewriteUnsafeSelect,tir.HoistIfThenElse,"
    "with-config<tir.instrument_bound_checkers>(tir.InstrumentBoundCheckers),"
    "with-config<tir.ptx_ldg32>(tir.InjectPTXLDG32),"
    "without-config<tir.disable_cse_tir>("
    "with-config<tir.enable_equiv_terms_in_cse_tir>(tir.CommonSubexprElimTIR<identify_equiv_terms=true>),"
    "without-config<tir.enable_equiv_terms_in_cse_tir>(tir.CommonSubexprElimTIR)),"
    "with-config<tir.instrument_lwp>(tir.InstrumentProfileIntrinsics)";

// Functions get their targets, threads wait for each other where they share memory, and what runs on the device becomes
// functions of its own.
constexpr std::string_view kMixed =
    "tir.VerifyVTCMLimit<target=$target>,tir.LowerVtcmAlloc,"
    "tir.BindTarget<target=$target;host=$host>,"
    // A program for a GPU must not touch its memory outside of threads.
    "tir.VerifyMemory,tir.AnnotateEntryFunc,"
    // Barriers are inserted before memory is merged, while the buffers can still be distinguished.
    "with-config<tir.detect_global_barrier>(tir.ThreadSync<storage_scope=global>),"
    "tir.ThreadSync<storage_scope=shared>,tir.ThreadSync<storage_scope=\"shared.dyn\">,"
    "tir.MergeDynamicSharedMemoryAllocations,tir.ThreadSync<storage_scope=warp>,"
    "tir.InferFragment,tir.LowerThreadAllreduce,"
    "with-config<tir.use_async_copy>(tir.InjectPTXAsyncCopy),"
    "with-config<tir.ptx_ldg32>(tir.InjectPTXLDG32),"
    "tir.AnnotateDeviceRegions,tir.SplitHostDevice";
constexpr std::string_view kPacked = ",tir.MakePackedAPI";
constexpr std::string_view kUnpacked = ",tir.MakeUnpackedAPI";
// Narrow floats are kept as integers; kernels are launched by the host.
constexpr std::string_view kLaunch = ",tir.FP8StorageLegalize,tir.BF16StorageLegalize,tir.LowerDeviceKernelLaunch";

// The passes over host code, which is everything but kernels.
constexpr std::string_view kHostPasses =
    "tir.LowerTVMBuiltin,tir.LowerCustomDatatypes,tir.LowerIntrin,tir.LowerDeviceStorageAccessInfo,"
    "tir.CombineContextCall,"
    "with-config<tir.enable_debug>(tir.InstallDebugSpans)";
// Kernels.
constexpr std::string_view kDevicePasses =
    "tir.LowerWarpMemory,tir.Simplify,tir.LowerCustomDatatypes,tir.LowerDeviceStorageAccessInfo,tir.LowerIntrin";

constexpr std::string_view kHost = "tir.Filter<calling_conv!=2>,tir.BindTarget<target=$target>,";
constexpr std::string_view kDevice = "tir.Filter<calling_conv=2>,tir.BindTarget<target=$target>,";
// Both halves in one module.
constexpr std::string_view kHostHalf =
    ",where<calling_conv!=2>(tir.BindTarget<target=$target;host=$host;bind_host=true>,";
constexpr std::string_view kDeviceHalf = "),where<calling_conv=2>(tir.BindTarget<target=$target;host=$host>,";
constexpr std::string_view kEnd = ")";
constexpr std::string_view kComma = ",";

constexpr NamedPipeline::Parameter kTarget[] = {{"target", ""}};
constexpr NamedPipeline::Parameter kTargetAndHost[] = {{"target", ""}, {"host", "auto"}};

constexpr NamedPipeline kPipelines[] = {
    {"tir", 2, JoinText<kPhase1, kPartition, kPhase2, kPhase3>::value, "what TVM's lower makes of tensor programs"},
    {"tir;simple", 2, JoinText<kPhase1, kPhase2, kPhase3>::value, "the same without LoopPartition"},
    {"tir;phase=1", 2, kPhase1, "its first phase: blocks are lowered and buffers are flat"},
    {"tir;phase=2", 2, JoinText<kPhase1, kPartition, kPhase2>::value,
     "its first two phases: loops are vectors, copies and threads, and memory is planned"},
    {"tir;phase=3", 2, JoinText<kPhase1, kPartition, kPhase2, kPhase3>::value, "all three, as default<tir>"},
    {"tir.mixed", 2, JoinText<kMixed, kPacked, kLaunch>::value,
     "what TVM does for a target before it splits the module; target, host", kTargetAndHost},
    {"tir.mixed;unpacked", 2, JoinText<kMixed, kUnpacked, kLaunch>::value,
     "the same with plain functions for packed ones", kTargetAndHost},
    {"tir.host", 2, JoinText<kHost, kHostPasses>::value, "what it does to the functions of the host; target", kTarget},
    {"tir.device", 2, JoinText<kDevice, kDevicePasses>::value, "and to kernels; target", kTarget},
    {"tir.build", 2,
     JoinText<kPhase1, kPartition, kPhase2, kPhase3, kComma, kMixed, kPacked, kLaunch, kHostHalf, kHostPasses,
              kDeviceHalf, kDevicePasses, kEnd>::value,
     "from blocks to host functions and kernels, in one module; target, host", kTargetAndHost},
    {"tir.build;unpacked", 2,
     JoinText<kPhase1, kPartition, kPhase2, kPhase3, kComma, kMixed, kUnpacked, kLaunch, kHostHalf, kHostPasses,
              kDeviceHalf, kDevicePasses, kEnd>::value,
     "the same with plain functions for packed ones", kTargetAndHost},
};

}  // namespace

auto TirPipelines() -> std::span<const NamedPipeline> { return kPipelines; }

}  // namespace relayopt::tir
