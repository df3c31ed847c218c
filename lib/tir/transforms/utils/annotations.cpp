// Finds and removes annotations.
#include "lib/tir/transforms/utils/annotations.h"

#include <algorithm>

namespace relayopt::tir {

auto FindAnnotation(const Context& context, ObjectId annotations, std::string_view key) -> ObjectId {
  if (!annotations) return {};
  const std::span<const ObjectId> items = context.object(annotations).items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (context.text(context.object(items[i]).text) == key) return items[i + 1];
  }
  return {};
}

auto WithoutAnnotations(Context& context, ObjectId annotations, std::span<const std::string_view> keys) -> ObjectId {
  if (!annotations) return {};
  std::vector<ObjectId> kept;
  const std::span<const ObjectId> items = context.object(annotations).items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    const std::string_view key = context.text(context.object(items[i]).text);
    if (std::ranges::find(keys, key) == keys.end()) kept.insert(kept.end(), {items[i], items[i + 1]});
  }
  if (kept.size() == items.size()) return annotations;
  return kept.empty() ? ObjectId() : context.AddMap(kept);
}

auto IntAnnotation(const Context& context, ObjectId annotations, std::string_view key) -> std::optional<int64_t> {
  const ObjectId value = FindAnnotation(context, annotations, key);
  if (!value || context.object(value).kind != ObjectKind::kInt) return std::nullopt;
  return context.object(value).integer;
}

auto IntList(const Context& context, ObjectId value) -> std::optional<std::vector<int64_t>> {
  if (!value || context.object(value).kind != ObjectKind::kArray) return std::nullopt;
  std::vector<int64_t> list;
  for (const ObjectId item : context.object(value).items) {
    if (!item || context.object(item).kind != ObjectKind::kInt) return std::nullopt;
    list.push_back(context.object(item).integer);
  }
  return list;
}

}  // namespace relayopt::tir
