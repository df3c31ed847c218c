// Reads the attributes of targets.
#include "lib/tir/transforms/utils/targets.h"

#include <algorithm>
#include <vector>

#include "relayopt/support/check.h"
#include "relayopt/tir/script/target_object.h"

namespace relayopt::tir {

auto TargetView::Of(Context& context, ObjectId id) -> std::optional<TargetView> {
  if (!id || RefKindOf(context, context.object(id)) != RefKind::kTarget) return std::nullopt;
  return TargetView(context, id);
}

auto TargetView::Of(const PrimFunc& func) -> std::optional<TargetView> {
  return Of(func.context(), func.FindAttr("target"));
}

auto TargetView::Find(std::string_view name) const -> ObjectId {
  const auto items = context_->object(id_).items;
  for (size_t i = 0; i < items.size(); i += 2) {
    if (context_->text(context_->object(items[i]).text) == name) return items[i + 1];
  }
  return {};
}

auto TargetView::HasKey(std::string_view key) const -> bool {
  const ObjectId keys = Find("keys");
  return keys && std::ranges::any_of(context_->object(keys).items,
                                     [&](ObjectId item) { return context_->text(context_->object(item).text) == key; });
}

auto TargetView::Int(std::string_view name, int64_t otherwise) const -> int64_t {
  const ObjectId value = Find(name);
  return value && context_->object(value).kind == ObjectKind::kInt ? context_->object(value).integer : otherwise;
}

auto TargetView::Text(std::string_view name) const -> std::string_view {
  const ObjectId value = Find(name);
  const bool text = value && context_->object(value).kind == ObjectKind::kString;
  return text ? context_->text(context_->object(value).text) : std::string_view();
}

auto TargetView::device_type() const -> int {
  return static_cast<int>(Int("target_device_type", DeviceTypeOfKind(kind()).value_or(kCpuDevice)));
}

auto TargetView::WithHost(ObjectId host) const -> ObjectId {
  std::vector<ObjectId> items;
  bool placed = !host;
  const auto place = [&] {
    items.push_back(context_->AddString("host"));
    items.push_back(host);
    placed = true;
  };
  const auto old = context_->object(id_).items;
  // Keys are in order.
  for (size_t i = 0; i < old.size(); i += 2) {
    const std::string_view key = context_->text(context_->object(old[i]).text);
    if (!placed && key >= "host") place();
    if (key == "host") continue;
    items.push_back(old[i]);
    items.push_back(old[i + 1]);
  }
  if (!placed) place();
  return AddTarget(*context_, items);
}

auto TargetView::ToString() const -> std::string {
  const Result<Target> target = TargetOf(*context_, id_);
  RELAYOPT_CHECK(target.has_value(), "target objects are made of targets");
  return target.value().ToString();
}

}  // namespace relayopt::tir
