// Reports which parts of a partitioned module run on external compilers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "relayopt/module/module.h"

namespace relayopt {

// The number of operators, and of operations in them.
struct OffloadCount {
  uint64_t operators = 0;
  // Multiply-accumulate operations (CountMacs).
  uint64_t macs = 0;
};

// The report on a module.
struct OffloadReport {
  // One function for an external compiler.
  struct Region {
    std::string compiler;
    std::string function;
    OffloadCount count;
    // The bytes of its arguments and of its result; tensors with unknown extents count nothing.
    uint64_t bytes_in = 0;
    uint64_t bytes_out = 0;
  };
  // Sorted by function.
  std::vector<Region> regions;
  OffloadCount inside;
  OffloadCount total;
  uint64_t bytes_over_border = 0;
  // For each operator that is not offloaded, the number of its calls.
  std::map<std::string, uint64_t> staying;
  // The reasons of AnnotateTarget for not offloading operators, and how often each occurs; filled in by the caller from
  // the remarks of that pass.
  std::map<std::string, uint64_t> reasons;
};

// Counts a typed module that PartitionGraph has partitioned: functions with the attribute Compiler are external.
auto ReportOffload(const Module& module) -> OffloadReport;

// Returns the report as lines for people, and as JSON: `{"version": 1, "regions": [...], ...}`.
auto ToText(const OffloadReport& report) -> std::string;
auto ToJson(const OffloadReport& report) -> std::string;

}  // namespace relayopt
