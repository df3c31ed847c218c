// Statistics: what passes count about their work.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace relayopt {

// Something that a pass counts, declared once in its file and named by its row (PassDef::statistics):
//
//   constexpr Statistic kMerged = {"EliminateCommonSubexpr", "merged", "expressions merged with an equal one", true};
//   ...
//   if (!context.Allows(kMerged)) return rebuild_.Copy(id);
//   ...
//   context.Count(kMerged, number_of_merged);
struct Statistic {
  // The name of the pass, as in its row.
  std::string_view pass;
  // The name of the statistic, unique within the pass.
  std::string_view name;
  // What is counted, in the plural.
  std::string_view doc;
  // Whether the pass calls PassContext::Allows before each of the rewrites counted here, so that they can be left out
  // one by one (--debug-counter).
  bool is_debug_counter = false;
};

// Sums of what passes counted. Threads may add at the same time, as sums do not depend on order.
class Statistics {
 public:
  // Adds to a count. Names are copied.
  void Add(std::string_view pass, std::string_view name, std::string_view doc, uint64_t count);

  // One line for each count, `COUNT PASS.NAME - what is counted`, sorted by name, below a heading.
  auto Render() const -> std::string;
  // `{"version": 1, "statistics": [{"pass":, "name":, "doc":, "count":}, ...]}`.
  auto RenderJson() const -> std::string;

 private:
  struct Entry {
    std::string doc;
    uint64_t count = 0;
  };

  mutable std::mutex mutex_;
  // Keyed by the names of the pass and the statistic.
  std::map<std::pair<std::string, std::string>, Entry, std::less<>> entries_;
};

}  // namespace relayopt
