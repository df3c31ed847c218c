// Layout tables, and the interfaces for layout rules and converters.
#include "relayopt/relay/ops/layout_rule.h"

#include <algorithm>
#include <utility>

namespace relayopt {

namespace {

auto TensorShape(const Context& context, std::span<const TypeId> types, size_t i) -> std::optional<Shape> {
  if (i >= types.size() || !types[i] || !context.type(types[i]).is_tensor()) return std::nullopt;
  return context.type(types[i]).shape;
}

}  // namespace

auto LayoutTable::Parse(std::string_view text) -> LayoutId {
  const auto found = ids_.find(absl::string_view(text.data(), text.size()));
  // The name of the scalar layout is empty, but an empty text is not a layout.
  if (found != ids_.end() && !text.empty()) return found->second;
  return Add(Layout::Parse(text));
}

auto LayoutTable::Add(const std::optional<Layout>& layout) -> LayoutId {
  if (!layout) return {};
  const auto [entry, is_new] = ids_.try_emplace(layout->name(), LayoutId(layouts_.size()));
  if (is_new) layouts_.push_back(*layout);
  return entry->second;
}

auto LayoutRuleContext::shape(size_t i) const -> std::optional<Shape> { return TensorShape(context_, types_, i); }

auto LayoutRuleContext::FindField(std::string_view name, FieldKind kind) const -> const FieldInfo* {
  if (!attrs_ || context_.attrs(attrs_).schema == nullptr) return nullptr;
  const FieldInfo* field = context_.attrs(attrs_).schema->Find(name);
  return field == nullptr || field->kind != kind ? nullptr : field;
}

auto LayoutRuleContext::MapAxis(size_t i, int64_t axis) const -> std::optional<int64_t> {
  const Layout* from = Find(old_[i]);
  const Layout* to = Find(offered(i));
  if (from == nullptr || to == nullptr) return std::nullopt;
  const auto rank = static_cast<int64_t>(from->rank());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  const LayoutAxis& letter = from->axes()[static_cast<size_t>(axis)];
  if (from == to) return axis;
  if (!letter.is_primal() || from->FactorOf(letter.name) != to->FactorOf(letter.name)) return std::nullopt;
  const auto position = to->Find(letter.name);
  if (!position) return std::nullopt;
  return static_cast<int64_t>(*position);
}

auto LayoutRuleContext::MapAxes(size_t i, const DimList& axes) const -> std::optional<DimList> {
  DimList mapped;
  for (const Dim& axis : axes) {
    const auto position = axis.is_int() ? MapAxis(i, axis.value()) : std::nullopt;
    if (!position) return std::nullopt;
    mapped.values.emplace_back(*position);
  }
  return mapped;
}

auto LayoutRuleContext::Done(LayoutIds inputs, LayoutIds outputs) -> bool {
  inputs_ = std::move(inputs);
  outputs_ = std::move(outputs);
  // Operators that are named for data of one rank accept other ranks, too; then letters do not describe the axes.
  if (!has_new_ && !inputs_.empty()) {
    const auto data = shape(0);
    const Layout* layout = Find(inputs_[0]);
    if (data && layout != nullptr && layout->rank() != data->size()) return false;
  }
  const auto defined = [](LayoutId id) { return id.has_value(); };
  return std::all_of(inputs_.begin(), inputs_.end(), defined) && std::all_of(outputs_.begin(), outputs_.end(), defined);
}

LayoutConversion::LayoutConversion(Context& context, const OpDef& op, AttrsId attrs, std::span<const TypeId> types,
                                   std::span<const std::string> wanted)
    : context_(context),
      op_(&op),
      attrs_(*context.attrs(attrs).schema, context.attrs(attrs).data),
      types_(types),
      wanted_(wanted) {}

auto LayoutConversion::shape(size_t i) const -> std::optional<Shape> { return TensorShape(context_, types_, i); }

auto LayoutConversion::Fail(std::string message) -> bool {
  error_ = std::move(message);
  return false;
}

}  // namespace relayopt
