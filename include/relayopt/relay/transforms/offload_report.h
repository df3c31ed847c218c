// What of a partitioned module runs elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "relayopt/module/module.h"

namespace relayopt {

// Counts of operators and of the work in them.
struct OffloadCount {
  uint64_t operators = 0;
  // Multiplications with accumulation (CountMacs).
  uint64_t macs = 0;
};

struct OffloadReport {
  // A function for an external compiler.
  struct Region {
    std::string compiler;
    std::string function;
    OffloadCount count;
    // Of the arguments and of the result of its call; tensors of unknown extents count nothing.
    uint64_t bytes_in = 0;
    uint64_t bytes_out = 0;
  };
  // Sorted by function.
  std::vector<Region> regions;
  OffloadCount inside;
  OffloadCount total;
  uint64_t bytes_over_border = 0;
  // Operators that stay, with how many calls.
  std::map<std::string, uint64_t> staying;
  // Why operators stay, as AnnotateTarget says it, with how often; filled in by who has heard its remarks.
  std::map<std::string, uint64_t> reasons;
};

// Counts a module in which functions with the attribute Compiler are for others (PartitionGraph). It must have types.
auto ReportOffload(const Module& module) -> OffloadReport;

// Lines for people, and `{"version": 1, "regions": [...], ...}`.
auto ToText(const OffloadReport& report) -> std::string;
auto ToJson(const OffloadReport& report) -> std::string;

}  // namespace relayopt
