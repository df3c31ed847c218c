// Collects and renders what passes count.
#include "relayopt/pass/statistics.h"

#include <fmt/format.h>

#include "relayopt/support/json.h"
#include "worker.h"

namespace relayopt {

void Statistics::Add(std::string_view pass, std::string_view name, std::string_view doc, uint64_t count) {
  Worker* const worker = Worker::Current();
  if (worker != nullptr && worker->context->options().statistics.get() == this) {
    worker->counts.push_back({std::string(pass), std::string(name), std::string(doc), count});
    return;
  }
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[{std::string(pass), std::string(name)}];
  if (entry.doc.empty()) entry.doc = doc;
  entry.count += count;
}

auto Statistics::Render() const -> std::string {
  const std::lock_guard lock(mutex_);
  std::string out = "=== relayopt statistics ===\n";
  for (const auto& [key, entry] : entries_) {
    out += fmt::format("{:10} {}.{} - {}\n", entry.count, key.first, key.second, entry.doc);
  }
  return out;
}

auto Statistics::RenderJson() const -> std::string {
  const std::lock_guard lock(mutex_);
  OrderedJson list = OrderedJson::array();
  for (const auto& [key, entry] : entries_) {
    list.push_back({{"pass", key.first}, {"name", key.second}, {"doc", entry.doc}, {"count", entry.count}});
  }
  return OrderedJson({{"version", 1}, {"statistics", std::move(list)}}).dump(2) + "\n";
}

}  // namespace relayopt
