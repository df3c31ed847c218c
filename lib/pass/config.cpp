// The keys of PassContext's config.
#include <deque>
#include <mutex>

#include "relayopt/pass/pass_context.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// TVM's keys that concern Relay. Keys of its code generators are accepted, so that contexts can be taken
// over, but nothing here reads them.
constexpr ConfigOption kConfigOptions[] = {
    {"relay.FuseOps.max_depth", OptionKind::kInt, "256", "most operators in one fused group"},
    {"relay.FuseOps.link_params", OptionKind::kBool, "false", "keep constants inside fused functions"},
    {"relay.ToMixedPrecision.keep_orig_output_dtype", OptionKind::kBool, "false",
     "cast results back to the types they had"},
    {"relay.AlterOpLayout.target_table", OptionKind::kString, "",
     "relayopt's own: the table of layouts for the target, as JSON; see --target-table"},
    {"relay.remove_standalone_reshapes.enable", OptionKind::kBool, "true",
     "for code generators: run RemoveStandaloneReshapes"},
    {"relay.fallback_device_type", OptionKind::kInt, "", "device type of what names none"},
    {"relay.frontend.fill_span", OptionKind::kBool, "true", "for importers: record where expressions come from"},
    {"relay.backend.use_auto_scheduler", OptionKind::kBool, "false", "for code generators"},
    {"relay.backend.use_meta_schedule", OptionKind::kBool, "false", "for code generators"},
    {"relay.backend.use_meta_schedule_dispatch", OptionKind::kInt, "0", "for code generators"},
    {"relay.backend.tir_converter", OptionKind::kString, "default", "for code generators"},
    {"relay.collage.tvm_max_depth", OptionKind::kInt, "", "for CollagePartition"},
    {"relay.collage.byoc_max_depth", OptionKind::kInt, "", "for CollagePartition"},
    {"relay.collage.byoc_fusion_style", OptionKind::kStringList, "", "for CollagePartition"},
    {"testing.immutable_module", OptionKind::kBool, "false",
     "check that passes leave their input alone; they always do"},
    {"relayopt.max_ops", OptionKind::kInt, "0",
     "passes that copy code leave it as it is beyond so many expressions (0: a million), and a run that makes the "
     "module larger fails (0: two million, and 16 for each expression before the run); --max-ops sets it"},
    {"ir.enable_si_builder", OptionKind::kBool, "false", "for code generators"},
    {"te.keep_schedule_record", OptionKind::kBool, "false", "for code generators"},
    {"tir.disable_vectorize", OptionKind::kBool, "false", "default<tir>: loops marked as vectorized become serial"},
    {"tir.disable_storage_rewrite", OptionKind::kBool, "false", "default<tir>: leave StorageRewrite out"},
    {"tir.disable_assert", OptionKind::kBool, "false",
     "for code generators: leave assertions out, as tir.SkipAssert does"},
    {"tir.disable_cse_tir", OptionKind::kBool, "false", "default<tir>: leave CommonSubexprElimTIR out"},
    {"tir.enable_equiv_terms_in_cse_tir", OptionKind::kBool, "false",
     "default<tir>: CommonSubexprElimTIR takes equal sums and products for one"},
    {"tir.instrument_bound_checkers", OptionKind::kBool, "false", "default<tir>: check bounds while programs run"},
    {"tir.instrument_lwp", OptionKind::kBool, "false", "default<tir>: measure the time of loops"},
    {"tir.ptx_ldg32", OptionKind::kBool, "false",
     "default<tir>, default<tir.mixed>: load by the cache for what is only read"},
    {"tir.use_async_copy", OptionKind::kBool, "false", "default<tir>, default<tir.mixed>: copy while computing"},
    {"tir.detect_global_barrier", OptionKind::kBool, "false", "default<tir.mixed>: synchronize global memory, too"},
    {"tir.enable_debug", OptionKind::kBool, "false", "default<tir.host>: each statement has a place of its own"},
    {"tir.debug_keep_trivial_loop", OptionKind::kBool, "false", "for schedules: keep loops of one iteration"},
    {"tir.experimental_dma_bypass_cache", OptionKind::kBool, "false", "for copies by DMA on Hexagon"},
    {"tir.noalias", OptionKind::kBool, "true", "for schedules: buffers do not overlap"},
    {"tir.is_entry_func", OptionKind::kBool, "", "nothing reads it"},
    {"tir.vtcm_capacity", OptionKind::kInt, "0", "bytes that memory of scope global.vtcm may have; 0: any number"},
    {"tir.lwp_disable_func_prof", OptionKind::kBool, "false", "InstrumentProfileIntrinsics: functions say nothing"},
    {"tir.lwp_max_depth", OptionKind::kInt, "0", "InstrumentProfileIntrinsics: loops in more loops say nothing"},
    {"tir.lwp_min_height", OptionKind::kInt, "1", "InstrumentProfileIntrinsics: loops with fewer in them say nothing"},
    {"tir.instr_siblings", OptionKind::kBool, "true", "InstrumentProfileIntrinsics: only loops beside others"},
    {"tir.reset_start_id", OptionKind::kBool, "false", "nothing reads it: numbers always begin anew"},
    {"tir.usmp.enable", OptionKind::kBool, "false", "for code generators"},
    {"tir.usmp.algorithm", OptionKind::kString, "greedy_by_size", "for code generators"},
    {"tir.usmp.use_workspace_io", OptionKind::kBool, "false", "for code generators"},
    {"tir.usmp.custom_algorithm", OptionKind::kString, "", "for code generators"},
};

// Keys that come with lists of passes, and those of plugins.
struct PluginOptions {
  std::mutex mutex;
  // A deque, so that pointers stay valid.
  std::deque<ConfigOption> options;
};

auto Plugins() -> PluginOptions& {
  static PluginOptions plugins;
  return plugins;
}

}  // namespace

auto ConfigOptions() -> std::vector<const ConfigOption*> {
  auto all = MapToVector<const ConfigOption*>(kConfigOptions, [&](const ConfigOption& option) { return &option; });
  PluginOptions& plugins = Plugins();
  const std::lock_guard lock(plugins.mutex);
  for (const ConfigOption& option : plugins.options) all.push_back(&option);
  return all;
}

auto FindConfigOption(std::string_view key) -> const ConfigOption* {
  for (const ConfigOption* option : ConfigOptions()) {
    if (option->key == key) return option;
  }
  return nullptr;
}

auto RegisterConfigOption(const ConfigOption& option) -> bool {
  if (FindConfigOption(option.key) != nullptr) return false;
  PluginOptions& plugins = Plugins();
  const std::lock_guard lock(plugins.mutex);
  plugins.options.push_back(option);
  return true;
}

}  // namespace relayopt
