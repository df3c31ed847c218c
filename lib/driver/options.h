// The command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/relay/text/printer.h"

namespace relayopt {

// What the command line asks for; names of passes and values are not checked yet.
struct ToolOptions {
  // Input and output.
  std::string input = "-";
  std::string output = "-";
  bool check_only = false;
  bool disable_output = false;
  bool split_input_file = false;
  bool allow_unregistered_ops = false;
  std::string emit = "text";
  std::vector<std::string> plugins;

  // Pipeline. The pieces of --passes and --passes-file, in order.
  std::vector<std::string> passes;
  std::vector<std::string> passes_files;
  std::string default_level;
  int opt_level = 2;
  bool strict_fp = false;
  // 0: one for each processor.
  int threads = 1;
  std::vector<std::string> disabled_pass;
  std::vector<std::string> required_pass;
  std::vector<std::string> config;
  std::string target;
  std::string target_table;
  std::vector<std::string> functions;
  bool converge = false;
  // `NAME` or `NAME,N`.
  std::string start_before;
  std::string stop_after;

  // Printing.
  std::string print_types = "all";
  bool print_spans = false;
  std::string print_metadata = "section";
  std::optional<uint64_t> elide_constants_if_larger;
  bool print_pipeline = false;
  std::vector<std::string> print_ir_before;
  std::vector<std::string> print_ir_after;
  bool print_ir_before_all = false;
  bool print_ir_after_all = false;
  bool print_ir_after_change = false;
  std::string print_changed;
  std::string print_before_pass_number;
  std::string print_after_pass_number;
  bool print_pass_numbers = false;
  bool print_module_scope = false;
  bool print_ir_after_failure = false;
  bool print_on_crash = false;
  std::vector<std::string> filter_print_funcs;
  std::vector<std::string> filter_passes;
  std::string dump_ir_dir;

  // Messages.
  std::string color = "auto";
  bool no_warnings = false;
  bool warnings_are_errors = false;
  size_t error_limit = 20;
  bool verbose = false;
  std::string diagnostics_format = "text";
  std::string diagnostics_file;

  // Checks.
  std::string verify_each = "1";
  bool verify_diagnostics = false;
  bool verify_roundtrip = false;
  bool run_twice = false;
  // Seconds and mebibytes; 0: no limit.
  double pass_timeout = 0;
  uint64_t max_memory = 0;

  // Reports. Files may be `-`, standard output; text goes to standard error unless info_output_file says otherwise.
  std::string stats;
  std::string stats_json;
  std::string time_passes;
  std::string time_passes_json;
  std::string time_trace;
  uint64_t time_trace_granularity = 0;
  std::string pass_remarks;
  std::string pass_remarks_missed;
  std::string pass_remarks_analysis;
  std::string pass_remarks_output;
  std::string pass_remarks_filter;
  std::string info_output_file;

  // Debugging.
  std::string bisect_limit;
  std::string bisect;
  std::vector<std::string> debug_counters;
  bool print_debug_counter = false;
  std::string exec_on_ir_change;
  bool exec_stop = false;
  std::string crash_reproducer;
  std::string generate_reproducer;
  std::string run_reproducer;

  // Evaluation of the result instead of printing it; files of tensors.
  bool run = false;
  // `final`, `changed` or `each`; empty: no validation.
  std::string validate;
  bool validate_edge = false;
  double rtol = -1;
  double atol = -1;
  // What unknown extents of random arguments become.
  int64_t unknown_extent = 2;
  // `NAME=N` or `NAME.AXIS=N`.
  std::vector<std::string> bind;
  std::string inputs;
  std::string params;

  // ONNX models; see onnx_input.h.
  std::vector<std::string> onnx_shapes;
  std::vector<std::string> onnx_dims;
  std::vector<std::string> onnx_dtypes;
  std::optional<int64_t> onnx_opset;
  std::string onnx_bind;
  std::string onnx_batch_matmul;
  bool no_freeze_params = false;

  // Random programs, instead of a run: how many, and the seed of the first. The seed is also that of inputs for --run.
  int64_t fuzz = 0;
  std::string plant_fault;
  int64_t seed = 0;

  // Lists and help, instead of a run.
  std::string list_passes;
  std::string help_pass;
  std::string list_ops;
  std::string help_op;
  // A term to be simplified instead of a run, and what is known of its variables.
  std::string arith;
  std::string where;
  std::string gen_docs;
  bool list_debug_counters = false;
  bool help_hidden = false;
  std::string completion;
  bool version = false;
};

// Reads the command line. A number is an exit status: help was printed, or an error was reported.
auto ParseCommandLine(int argc, char** argv, ToolOptions& options) -> std::optional<int>;

}  // namespace relayopt
