// Converts weights of a function to sparse matrices.
#include "sparse_weights.h"

#include <algorithm>

#include "relayopt/support/diagnostic.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kBadSparseWeights = {"bad-sparse-weights", Severity::kError, "sparse weights: {}"};

// `64x16x1` as numbers; nothing for anything else.
auto ParseExtents(std::string_view text) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> extents;
  while (true) {
    const size_t end = std::min(text.find('x'), text.size());
    const auto extent = ParseNumber<int64_t>(text.substr(0, end));
    if (!extent || *extent < 0) return std::nullopt;
    extents.push_back(*extent);
    if (end == text.size()) return extents;
    text.remove_prefix(end + 1);
  }
}

// Returns the kVar nodes that `body` reaches, in the order in which a walk over operands, left to right, meets them.
auto VarsInOrderOfUse(const Function& function, ExprId body) -> std::vector<ExprId> {
  std::vector<ExprId> vars;
  SideTable<ExprId, bool> seen(function.size(), false);
  std::vector<ExprId> stack = {body};
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    if (function.kind(id) == ExprKind::kVar) vars.push_back(id);
    const auto operands = function.operands(id);
    stack.insert(stack.end(), operands.rbegin(), operands.rend());
  }
  return vars;
}

}  // namespace

auto ParseSparseShapes(std::span<const std::string> names, std::span<const std::string> shapes)
    -> Result<SparseShapes> {
  if (names.size() != shapes.size()) {
    return MakeDiagnostic(kBadSparseWeights, {}, fmt::format("{} names and {} shapes", names.size(), shapes.size()));
  }
  SparseShapes parsed;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto extents = ParseExtents(shapes[i]);
    if (!extents || extents->size() < 4 || extents->size() > 5) {
      return MakeDiagnostic(
          kBadSparseWeights, {},
          fmt::format("'{}' is not a shape of blocks, indices and starts, as 64x16x1x64x5", shapes[i]));
    }
    const std::span all(*extents);
    const auto data = all.first(all.size() - 2);
    const bool is_new =
        parsed
            .emplace(names[i],
                     BlockSparse<std::vector<int64_t>>{{data.begin(), data.end()}, {all[all.size() - 2]}, {all.back()}})
            .second;
    if (!is_new) return MakeDiagnostic(kBadSparseWeights, {}, fmt::format("'{}' is listed twice", names[i]));
  }
  return parsed;
}

auto SparseParams::Find(ExprId old) -> std::optional<BlockSparse<ExprId>> {
  const auto found = made_.find(old);
  if (found != made_.end()) return found->second;
  const Function& function = rebuild_.from();
  if (function.kind(old) != ExprKind::kVar) return std::nullopt;
  if (!old_params_.contains(old)) return std::nullopt;
  const std::string name(function.context().text(function.var(old).name));
  const auto shape = shapes_.find(name);
  if (shape == shapes_.end()) return std::nullopt;
  const BlockSparse<ExprId> made = {Param(name + ".data", shape->second.data, DataType::Float(32)),
                                    Param(name + ".indices", shape->second.indices, DataType::Int(32)),
                                    Param(name + ".indptr", shape->second.starts, DataType::Int(32))};
  made_.emplace(old, made);
  return made;
}

auto SparseParams::Param(const std::string& name, std::span<const int64_t> shape, DataType dtype) -> ExprId {
  Context& context = rebuild_.to().context();
  const std::vector<Dim> extents(shape.begin(), shape.end());
  const TypeId type = context.Tensor(extents, dtype);
  const ExprId param = rebuild_.to().Var({context.Intern(name), type, {}});
  rebuild_.to().SetType(param, type);
  params_.push_back(param);
  return param;
}

auto SparseParams::Finish() -> Function {
  const Function& function = rebuild_.from();
  FunctionBuilder& to = rebuild_.to();
  const ExprId body = rebuild_.New(function.body());
  SideTable<ExprId, bool> is_param(to.function().size(), false);
  for (const ExprId param : function.params()) is_param[rebuild_.New(param)] = true;
  std::vector<ExprId> params;
  for (const ExprId var : VarsInOrderOfUse(to.function(), body)) {
    if (is_param[var]) params.push_back(var);
  }
  params.insert(params.end(), params_.begin(), params_.end());
  const ExprId root = to.Lambda(function.info(), params, body);
  to.SetRange(root, function.range(function.root()));
  rebuild_.Set(function.root(), root);
  return rebuild_.Finish();
}

}  // namespace relayopt
