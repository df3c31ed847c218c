// LabelOps: attaches hash and layouts to functions.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/relay/transforms/structural_hash.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

class Labeller {
 public:
  explicit Labeller(const Function& function)
      : function_(function), rebuild_(function), hashes_(function.size()), seen_(function.size()) {}

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([this](ExprId id) {
      if (function_.kind(id) != ExprKind::kFunction) return ExprId();
      const std::span<const ExprId> inside = Inside(id);
      hashes_[id] = Hash(id, inside);
      if (function_.StringAttr(id, attr::kHash)) return ExprId();
      FunctionInfo info = function_.info(id);
      Label(info, hashes_[id], inside);
      const auto operands = rebuild_.NewOperands(id);
      const ExprId made = rebuild_.to().Lambda(std::move(info), operands.first(operands.size() - 1), operands.back());
      rebuild_.to().SetType(made, function_.type(id));
      return made;
    });
  }

 private:
  // Returns the expressions that a literal reaches, operands first; a literal inside counts as a single expression.
  auto Inside(ExprId literal) -> std::span<const ExprId> {
    inside_.clear();
    const auto reach = [&](ExprId user) {
      for (const ExprId operand : function_.operands(user)) {
        if (seen_[operand] == literal) continue;
        seen_[operand] = literal;
        inside_.push_back(operand);
      }
    };
    reach(literal);
    for (size_t i = 0; i < inside_.size(); ++i) {
      if (function_.kind(inside_[i]) != ExprKind::kFunction) reach(inside_[i]);
    }
    std::ranges::sort(inside_);
    return inside_;
  }

  auto Hash(ExprId literal, std::span<const ExprId> inside) const -> uint64_t {
    absl::flat_hash_set<ExprId> bound(function_.params(literal).begin(), function_.params(literal).end());
    for (const ExprId id : inside) {
      if (function_.kind(id) == ExprKind::kLet) {
        for (size_t i = 0; i < function_.let_size(id); ++i) bound.insert(function_.let_var(id, i));
      } else if (function_.kind(id) == ExprKind::kMatch) {
        for (const MatchClause& clause : function_.match(id).clauses) {
          for (uint32_t i = clause.first_operand; i < clause.rhs; ++i) bound.insert(function_.operand(id, i));
        }
      }
    }
    StructuralHash hash(function_, bound);
    for (const ExprId id : inside) {
      if (function_.kind(id) == ExprKind::kFunction)
        hash.Set(id, hashes_[id]);
      else
        hash.Add(id);
    }
    return hash.OfLiteral(literal);
  }

  void Label(FunctionInfo& info, uint64_t hash, std::span<const ExprId> inside) {
    Context& context = function_.context();
    Set(info, attr::kHash, fmt::format("{:016x}", hash));
    // The last call that has a layout decides.
    std::vector<std::pair<std::string_view, const std::string*>> layouts;
    for (const ExprId id : inside) {
      if (function_.kind(id) != ExprKind::kOpCall || !function_.attrs(id)) continue;
      const AttrsRecord& record = context.attrs(function_.attrs(id));
      if (record.schema == nullptr) continue;
      for (const FieldInfo* field : LayoutFields(*record.schema)) {
        const auto found = std::ranges::find(layouts, field->name, [](const auto& layout) { return layout.first; });
        auto& [name, value] = found != layouts.end() ? *found : layouts.emplace_back(field->name, nullptr);
        value = &field->Get<std::string>(record.data);
      }
    }
    for (const auto& [name, value] : layouts) Set(info, name, *value);
  }

  auto LayoutFields(const AttrsSchema& schema) -> std::span<const FieldInfo* const> {
    const auto [entry, is_new] = layout_fields_.try_emplace(&schema);
    if (is_new) {
      for (const FieldInfo& field : schema.fields) {
        const bool is_layout = field.kind == FieldKind::kString && field.name.find("layout") != std::string_view::npos;
        if (is_layout) entry->second.push_back(&field);
      }
    }
    return entry->second;
  }

  void Set(FunctionInfo& info, std::string_view name, const std::string& value) const {
    Context& context = function_.context();
    const StringId key = context.Intern(name);
    const ObjectId text = context.AddString(value);
    const auto found = std::ranges::find(info.attrs, key, &FunctionAttr::key);
    if (found != info.attrs.end())
      found->value = text;
    else
      info.attrs.push_back({key, text});
  }

  const Function& function_;
  Rebuild rebuild_;
  SideTable<ExprId, uint64_t> hashes_;
  // The last literal inside which an expression was met.
  SideTable<ExprId, ExprId> seen_;
  std::vector<ExprId> inside_;
  absl::flat_hash_map<const AttrsSchema*, std::vector<const FieldInfo*>> layout_fields_;
};

struct LabelOps {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return Labeller(function).Run();
  }
};

}  // namespace

constinit const PassDef kLabelOpsPass = DescribePass<LabelOps>({
    .name = "LabelOps",
    .opt_level = 1,
    .required = "InferType",
    .summary = "attaches to functions a hash and the layouts of their operators",
    .details =
        R"(Every function, those inside others first, gets the attribute `hash`, 16 hexadecimal digits of its structural hash, and one attribute
for each layout that its calls name, such as data_layout. Profilers know functions by them.

  fn (%p0, %p1, Primitive=1) { nn.conv2d(%p0, %p1) }
    =>   fn (%p0, %p1, Primitive=1, hash="6a1f...", data_layout="NCHW", kernel_layout="OIHW", ...) { nn.conv2d(%p0, %p1) }

Of several calls the last decides; calls in functions inside count for those only. Left alone: functions that have a hash.)",
    .idempotent = true,
});

}  // namespace relayopt
