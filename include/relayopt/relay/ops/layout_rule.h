// The interfaces for layout rules and layout converters.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "relayopt/core/context.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// A layout in a LayoutTable; an invalid id stands for the undefined layout.
using LayoutId = Index<struct LayoutTag>;
using LayoutIds = absl::InlinedVector<LayoutId, 6>;

// The layouts that occur in one rewrite, interned: equal names have equal ids.
class LayoutTable {
 public:
  // Returns the layout with this name, or invalid if `text` is malformed.
  auto Parse(std::string_view text) -> LayoutId;
  auto Add(const std::optional<Layout>& layout) -> LayoutId;
  // Returns the scalar layout.
  auto Scalar() -> LayoutId { return Add(Layout::FromAxes({})); }

  auto operator[](LayoutId id) const -> const Layout& { return layouts_[id.value()]; }
  // Returns the layout, or null for an invalid id.
  auto Find(LayoutId id) const -> const Layout* { return id ? &layouts_[id.value()] : nullptr; }

  // Returns a cache for broadcasts: the index of the entry for these layouts and this type, and whether it is new.
  auto Remember(LayoutId a, LayoutId b, LayoutId c, TypeId type) -> std::pair<LayoutId*, bool> {
    const auto [entry, is_new] = memo_.try_emplace(std::tuple(a, b, c, type));
    return {&entry->second, is_new};
  }

 private:
  // A deque, because layouts must not move: callers hold references.
  std::deque<Layout> layouts_;
  absl::flat_hash_map<std::string, LayoutId> ids_;
  absl::flat_hash_map<std::tuple<LayoutId, LayoutId, LayoutId, TypeId>, LayoutId> memo_;
};

// One application of a layout rule. Its inputs are the operands of a call; a literal tuple among them counts as its
// fields.
//
// A rule is called twice. The first call is about the original operator call, with the `old` layouts of inputs as far
// as producers determined them. The second call provides the `new` layouts that inputs actually have by then: the rule
// may accept them, changing the attributes, or request others. Its answer is a layout for each input and each result of
// the call.
class LayoutRuleContext {
 public:
  LayoutRuleContext(Context& context, LayoutTable& layouts, AttrsId attrs, std::span<const TypeId> types,
                    std::span<const LayoutId> old_layouts)
      : context_(context), layouts_(layouts), attrs_(attrs), types_(types), old_(old_layouts) {}
  LayoutRuleContext(Context& context, LayoutTable& layouts, AttrsId attrs, std::span<const TypeId> types,
                    std::span<const LayoutId> old_layouts, std::span<const LayoutId> new_layouts)
      : context_(context),
        layouts_(layouts),
        attrs_(attrs),
        types_(types),
        old_(old_layouts),
        new_(new_layouts),
        has_new_(true) {}

  auto context() -> Context& { return context_; }
  auto layouts() -> LayoutTable& { return layouts_; }

  // Returns the inputs. Types are those before the rewrite, in the old layouts.
  auto size() const -> size_t { return old_.size(); }
  auto has_new() const -> bool { return has_new_; }
  auto old_layout(size_t i) const -> LayoutId { return old_[i]; }
  // Only when has_new.
  auto new_layout(size_t i) const -> LayoutId { return new_[i]; }
  // Returns the new layout, or in the first round the old one.
  auto offered(size_t i) const -> LayoutId { return has_new_ ? new_[i] : old_[i]; }
  // Returns the layout itself, or null for an invalid id.
  auto Find(LayoutId id) const -> const Layout* { return layouts_.Find(id); }
  auto Parse(std::string_view text) -> LayoutId { return layouts_.Parse(text); }
  // Returns the layout in the attribute `name`, or invalid if there is no such attribute, or it is not a layout.
  auto Named(std::string_view name) -> LayoutId {
    const auto* text = Get<std::string>(name);
    return text == nullptr ? LayoutId() : Parse(*text);
  }
  auto type(size_t i) const -> TypeId { return types_[i]; }
  // Returns the extents of a tensor, or nothing if input `i` is not a tensor.
  auto shape(size_t i) const -> std::optional<Shape>;

  // Returns the attributes as an A, or the field `name` of attributes of any class, or null if there is none.
  template <typename A>
  auto attrs() const -> const A* {
    return context_.As<A>(attrs_);
  }
  template <typename T>
  auto Get(std::string_view name) const -> const T* {
    const FieldInfo* field = FindField(name, FieldKindOf<T>());
    return field == nullptr ? nullptr : &field->Get<T>(context_.attrs(attrs_).data);
  }
  // Replaces the attributes, or one field of them (which must exist).
  template <typename A>
  void SetAttrs(const A& attrs) {
    attrs_ = context_.InternAttrs(attrs);
  }
  template <typename T>
  void Set(std::string_view name, const T& value) {
    const FieldInfo* field = FindField(name, FieldKindOf<T>());
    const AttrsRecord& record = context_.attrs(attrs_);
    if (field->Get<T>(record.data) == value) return;
    AttrsBuilder builder(*record.schema, record.data);
    field->Mutable<T>(builder.data()) = value;
    attrs_ = context_.InternAttrs(std::move(builder));
  }

  // The position in the new layout of input `i` of the axis `axis` (negative: from the end) of the old layout; in the
  // first round, its position in the old layout. Returns nothing if there is no such axis, or it is packed differently.
  auto MapAxis(size_t i, int64_t axis) const -> std::optional<int64_t>;
  // MapAxis for each axis; returns nothing if it fails for one.
  auto MapAxes(size_t i, const DimList& axes) const -> std::optional<DimList>;

  // Sets the answer. Returns true when no layout is undefined.
  auto Done(LayoutIds inputs, LayoutIds outputs) -> bool;
  // The answer with the same layout for all inputs and the only result.
  auto DoneAll(LayoutId layout) -> bool { return Done(LayoutIds(size(), layout), {layout}); }

  auto attrs_id() const -> AttrsId { return attrs_; }
  void set_attrs_id(AttrsId attrs) { attrs_ = attrs; }
  auto inputs() const -> const LayoutIds& { return inputs_; }
  auto outputs() const -> const LayoutIds& { return outputs_; }

 private:
  auto FindField(std::string_view name, FieldKind kind) const -> const FieldInfo*;

  Context& context_;
  LayoutTable& layouts_;
  AttrsId attrs_;
  std::span<const TypeId> types_;
  std::span<const LayoutId> old_;
  std::span<const LayoutId> new_;
  bool has_new_ = false;
  LayoutIds inputs_;
  LayoutIds outputs_;
};

// The conversion of one call to layouts that the user requested.
class LayoutConversion {
 public:
  // `wanted` has an entry for each layout that the user named; `types` are those of the operands.
  LayoutConversion(Context& context, const OpDef& op, AttrsId attrs, std::span<const TypeId> types,
                   std::span<const std::string> wanted);

  auto context() -> Context& { return context_; }
  auto size() const -> size_t { return wanted_.size(); }
  auto wanted(size_t i) const -> const std::string& { return wanted_[i]; }
  // Returns the extents of a tensor, or nothing if operand `i` is not a tensor.
  auto shape(size_t i) const -> std::optional<Shape>;

  // Returns the field `name` of the attributes, for changing it, or null if there is none.
  template <typename T>
  auto Get(std::string_view name) -> T* {
    const FieldInfo* field = attrs_.schema().Find(name);
    return field == nullptr || field->kind != FieldKindOf<T>() ? nullptr : &field->Mutable<T>(attrs_.data());
  }

  // Returns the operator of the converted call.
  auto op() const -> const OpDef* { return op_; }
  void set_op(const OpDef* op) { op_ = op; }
  // Reports an error in the user's request; returns false.
  auto Fail(std::string message) -> bool;
  auto error() const -> const std::string& { return error_; }
  // Ends the conversion and returns the changed attributes.
  auto TakeAttrs() -> AttrsId { return context_.InternAttrs(std::move(attrs_)); }

 private:
  Context& context_;
  const OpDef* op_;
  AttrsBuilder attrs_;
  std::span<const TypeId> types_;
  std::span<const std::string> wanted_;
  std::string error_;
};

}  // namespace relayopt
