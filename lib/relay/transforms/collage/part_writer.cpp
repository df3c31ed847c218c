// Makes functions of parts.
#include "part_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "lib/relay/transforms/free_vars.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

auto AttrsOf(Context& context, const NestedPart& part) -> std::vector<FunctionAttr> {
  if (part.kind == NestedPart::Kind::kComposite) {
    return {{context.Intern(attr::kComposite), context.AddString(part.name)}};
  }
  return {{context.Intern(attr::kPrimitive), context.AddInt(1)},
          {context.Intern(attr::kCompiler), context.AddString(part.name)}};
}

}  // namespace

// As TVM: constants are in the function that uses them.
auto PartWriter::IsCopied(ExprId id) const -> bool {
  const Function& from = graph_.function();
  if (from.kind(id) == ExprKind::kFunction) return FreeVars(from, id).empty();
  return from.kind(id) == ExprKind::kConstant || graph_.IsInline(id);
}

auto PartWriter::FindBorder(const CollagePart& part, const absl::flat_hash_set<ExprId>& results) const -> Border {
  const Function& from = graph_.function();
  Border border;
  absl::flat_hash_set<ExprId> seen;
  std::vector<ExprId> pending;
  for (const ExprId id : part.inside() | std::views::reverse) {
    const bool is_exit = std::ranges::binary_search(part.exit(), id) || results.contains(id);
    if (!is_exit && seen.contains(id)) continue;
    border.results.push_back(id);
    // Arguments are in the order in which they are met from left to right.
    pending.push_back(id);
    while (!pending.empty()) {
      const ExprId next = pending.back();
      pending.pop_back();
      if (!seen.insert(next).second) continue;
      if (part.Contains(next)) {
        const auto operands = from.operands(next);
        pending.insert(pending.end(), operands.rbegin(), operands.rend());
      } else if (!IsCopied(next)) {
        border.args.push_back(next);
      }
    }
  }
  std::ranges::reverse(border.results);
  return border;
}

auto PartWriter::Param(std::string_view name, TypeId type) -> ExprId {
  const ExprId param = to_.Var({to_.context().Intern(name), type, {}});
  to_.SetType(param, type);
  return param;
}

auto PartWriter::WriteLiteral(const CollagePart& part, const Border& border, std::vector<FunctionAttr> attrs,
                              TupleParams tuple_params) -> ExprId {
  const Function& from = graph_.function();
  Context& context = to_.context();
  std::vector<ExprId> params;
  Made made;
  for (const ExprId arg : border.args) {
    const std::string name = fmt::format("FunctionVar_{}", made.size());
    const TypeId type = from.type(arg);
    if (tuple_params == TupleParams::kWhole || context.type(type).kind != TypeKind::kTuple) {
      params.push_back(Param(name, type));
      made[arg] = params.back();
      continue;
    }
    std::vector<ExprId> fields;
    for (const TypeId field : context.type(type).args) {
      fields.push_back(Param(fmt::format("{}_{}", name, fields.size()), field));
    }
    params.insert(params.end(), fields.begin(), fields.end());
    made[arg] = EmitTuple(to_, fields);
  }
  Write(border.results, part.nested(), made);
  auto results = MapToVector<ExprId>(border.results, [&](ExprId id) { return made.at(id); });
  const ExprId body = results.size() == 1 ? results.front() : EmitTuple(to_, results);
  FunctionInfo info;
  info.attrs = std::move(attrs);
  info.result = to_.function().type(body);
  const auto types = MapToVector<TypeId>(params, [&](ExprId param) { return to_.function().type(param); });
  const TypeId type = context.FunctionType(types, info.result);
  const ExprId literal = to_.Lambda(std::move(info), params, body);
  to_.SetType(literal, type);
  return literal;
}

void PartWriter::WriteCall(const Group& group, Made& made) {
  const auto args = MapToVector<ExprId>(group.border.args, [&](ExprId arg) { return made.at(arg); });
  const ExprId literal =
      WriteLiteral(*group.part->part, group.border, AttrsOf(to_.context(), *group.part), TupleParams::kWhole);
  const ExprId call = to_.Call(literal, args);
  to_.SetType(call, to_.function().info(literal).result);
  const std::vector<ExprId>& results = group.border.results;
  for (uint32_t i = 0; i < results.size(); ++i) {
    made[results[i]] = results.size() == 1 ? call : EmitTupleGetItem(to_, call, i);
  }
}

void PartWriter::Write(std::span<const ExprId> roots, std::span<const NestedPart> parts, Made& made) {
  const Function& from = graph_.function();
  std::vector<Group> groups;
  absl::flat_hash_map<ExprId, size_t> group_of;
  const absl::flat_hash_set<ExprId> results(roots.begin(), roots.end());
  for (const NestedPart& each : parts) {
    for (const ExprId id : each.part->inside()) group_of[id] = groups.size();
    groups.push_back({&each, FindBorder(*each.part, results)});
  }
  std::vector<ExprId> pending(roots.rbegin(), roots.rend());
  std::vector<ExprId> operands;
  while (!pending.empty()) {
    const ExprId id = pending.back();
    const size_t size = pending.size();
    const auto group = group_of.find(id);
    if (!made.contains(id)) {
      const std::span<const ExprId> needs =
          group == group_of.end() ? from.operands(id) : std::span<const ExprId>(groups[group->second].border.args);
      for (const ExprId need : needs | std::views::reverse) {
        if (!made.contains(need)) pending.push_back(need);
      }
    }
    if (pending.size() != size) continue;
    pending.pop_back();
    if (made.contains(id)) continue;
    if (group != group_of.end()) {
      WriteCall(groups[group->second], made);
      continue;
    }
    operands.clear();
    for (const ExprId operand : from.operands(id)) operands.push_back(made.at(operand));
    made[id] = to_.Copy(from, id, operands);
  }
}

auto PartWriter::WriteFunction(std::span<const NestedPart> parts) -> ExprId {
  const ExprId root = graph_.function().root();
  Made made;
  Write({&root, 1}, parts, made);
  return made.at(root);
}

auto PartWriter::WritePart(const CollagePart& part) -> ExprId {
  return WriteLiteral(part, FindBorder(part, {}), {}, TupleParams::kByField);
}

}  // namespace relayopt
