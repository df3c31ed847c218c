// The command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/text/printer.h"

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

  // Pipeline. The pieces of --passes and --passes-file, in order.
  std::vector<std::string> passes;
  std::vector<std::string> passes_files;
  std::string default_level;
  int opt_level = 2;
  std::vector<std::string> disabled_pass;
  std::vector<std::string> required_pass;
  std::vector<std::string> config;
  std::string target;

  // Printing.
  std::string print_types = "all";
  bool print_spans = false;
  std::string print_metadata = "section";
  bool print_pipeline = false;
  std::vector<std::string> print_ir_before;
  std::vector<std::string> print_ir_after;
  bool print_ir_before_all = false;
  bool print_ir_after_all = false;
  bool print_ir_after_change = false;
  std::string dump_ir_dir;

  // Checking and reports.
  std::string verify_each = "1";
  bool verify_diagnostics = false;
  bool run_twice = false;
  bool time_passes = false;
  int64_t bisect_limit = -1;
  std::string crash_reproducer;
  bool verbose = false;
  std::string color = "auto";

  // Random programs, instead of a run: how many, and the seed of the first.
  int64_t fuzz = 0;
  int64_t seed = 0;

  // Lists and help, instead of a run.
  std::string list_passes;
  std::string help_pass;
  std::string list_ops;
  std::string help_op;
  std::string gen_docs;
  bool version = false;
};

// Reads the command line. A number is an exit status: help was printed, or an error was reported.
auto ParseCommandLine(int argc, char** argv, ToolOptions& options) -> std::optional<int>;

}  // namespace relayopt
