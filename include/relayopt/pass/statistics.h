// Counts of what passes did.
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
  // The name of the pass's row.
  std::string_view pass;
  // Unique within the pass.
  std::string_view name;
  // What is counted, in the plural.
  std::string_view doc;
  // The pass asks PassContext::Allows before each of these, so that they can be left out one by one (--debug-counter).
  bool is_debug_counter = false;
};

// Collected counts. Threads may add at the same time: sums do not depend on their order.
class Statistics {
 public:
  // Names are copied.
  void Add(std::string_view pass, std::string_view name, std::string_view doc, uint64_t count);

  // One line a count, `COUNT PASS.NAME - what it is`, sorted by name; the whole has a heading.
  auto Render() const -> std::string;
  // `{"version": 1, "statistics": [{"pass":, "name":, "doc":, "count":}, ...]}`.
  auto RenderJson() const -> std::string;

 private:
  struct Entry {
    std::string doc;
    uint64_t count = 0;
  };

  mutable std::mutex mutex_;
  // By pass and name.
  std::map<std::pair<std::string, std::string>, Entry, std::less<>> entries_;
};

}  // namespace relayopt
