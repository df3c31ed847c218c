// Builds Relay functions from nodes.
#include "function_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

enum class FunctionReader::Class : uint8_t {
  kNone,
  kVar,
  kGlobalVar,
  kConstructor,
  kOp,
  kConstant,
  kTuple,
  kTupleGetItem,
  kCall,
  kFunction,
  kLet,
  kIf,
  kMatch,
  kRefCreate,
  kRefRead,
  kRefWrite,
};

auto FunctionReader::ClassOf(std::string_view type_key) -> Class {
  static const absl::flat_hash_map<std::string_view, Class> classes = {
      {"relay.Var", Class::kVar},
      {"GlobalVar", Class::kGlobalVar},
      {"relay.Constructor", Class::kConstructor},
      {"Op", Class::kOp},
      {"relay.Constant", Class::kConstant},
      {"relay.Tuple", Class::kTuple},
      {"relay.TupleGetItem", Class::kTupleGetItem},
      {"relay.Call", Class::kCall},
      {"relay.Function", Class::kFunction},
      {"relay.Let", Class::kLet},
      {"relay.If", Class::kIf},
      {"relay.Match", Class::kMatch},
      {"relay.RefCreate", Class::kRefCreate},
      {"relay.RefRead", Class::kRefRead},
      {"relay.RefWrite", Class::kRefWrite},
  };
  const auto found = classes.find(type_key);
  return found == classes.end() ? Class::kNone : found->second;
}

auto FunctionReader::Read(uint32_t function, std::string_view name) -> FunctionRef {
  ++walk_;
  builder_.emplace(context_);
  stack_.clear();
  if (!Visit(function)) return nullptr;
  Function read = builder_->Finish(IdOf(function));
  // Unlike text, JSON can use a variable outside of its scope.
  if (const auto broken = Verify(module_, read)) {
    const SourceRange range = broken->expr ? read.range(broken->expr) : graph_.range(function);
    nodes_.sink.Report(diag::kTvmJsonFunction, range, name, broken->text);
    return nullptr;
  }
  return std::make_shared<const Function>(Relayout(read));
}

auto FunctionReader::Ids(std::span<const uint32_t> nodes) const -> std::vector<ExprId> {
  return MapToVector<ExprId>(nodes, [&](uint32_t node) { return IdOf(node); });
}

void FunctionReader::Note(uint32_t node, ExprId id) {
  marks_[node] = {2 * walk_ + 1, id};
  builder_->SetRange(id, graph_.range(node));
  if (const SpanId span = nodes_.Span(node)) builder_->SetSpan(id, span);
}

auto FunctionReader::Visit(uint32_t root) -> bool {
  stack_.push_back({root, false});
  while (!stack_.empty()) {
    const Frame frame = stack_.back();
    if (IsDone(frame.node)) {
      stack_.pop_back();
      continue;
    }
    const Class kind = ClassOf(graph_.type_key(frame.node));
    if (frame.opened) {
      stack_.pop_back();
      if (!Emit(frame.node, kind)) return false;
      continue;
    }
    if (marks_[frame.node].walk == 2 * walk_) {
      nodes_.sink.Report(diag::kTvmJsonCycle, graph_.range(frame.node));
      return false;
    }
    marks_[frame.node].walk = 2 * walk_;
    stack_.back().opened = true;
    if (!Open(frame.node, kind)) return false;
  }
  return true;
}

auto FunctionReader::Need(uint32_t owner, std::string_view field) -> bool {
  uint32_t node = 0;
  return nodes_.Child(owner, field, node) && NeedAll({&node, 1});
}

// In reverse order, so that operands are visited from left to right.
auto FunctionReader::NeedAll(std::span<const uint32_t> operands) -> bool {
  for (size_t i = operands.size(); i-- > 0;) {
    const uint32_t node = operands[i];
    if (ClassOf(graph_.type_key(node)) == Class::kNone) {
      nodes_.sink.Report(diag::kTvmJsonItem, graph_.range(node), "this", "an expression", nodes_.What(node));
      return false;
    }
    if (!IsDone(node)) stack_.push_back({node, false});
  }
  return true;
}

auto FunctionReader::Open(uint32_t node, Class kind) -> bool {
  std::span<const uint32_t> list;
  switch (kind) {
    case Class::kTuple: return nodes_.List(node, "fields", list) && NeedAll(list);
    case Class::kTupleGetItem: return Need(node, "tuple_value");
    case Class::kCall: {
      uint32_t callee = 0;
      if (!nodes_.List(node, "args", list) || !NeedAll(list) || !nodes_.Child(node, "op", callee)) return false;
      return graph_.type_key(callee) == "Op" || NeedAll({&callee, 1});
    }
    case Class::kFunction: return Need(node, "body") && nodes_.List(node, "params", list) && NeedAll(list);
    case Class::kLet: {
      // In reverse order: the result, then values and variables.
      const std::vector<uint32_t> chain = Chain(node);
      if (!Need(chain.back(), "body")) return false;
      for (size_t i = chain.size(); i-- > 0;) {
        if (!Need(chain[i], "value") || !Need(chain[i], "var")) return false;
      }
      return true;
    }
    case Class::kIf: return Need(node, "false_branch") && Need(node, "true_branch") && Need(node, "cond");
    case Class::kRefCreate: return Need(node, "value");
    case Class::kRefRead: return Need(node, "ref");
    case Class::kRefWrite: return Need(node, "value") && Need(node, "ref");
    case Class::kMatch: return OpenMatch(node);
    default: return true;
  }
}

auto FunctionReader::OpenMatch(uint32_t node) -> bool {
  std::span<const uint32_t> clauses;
  if (!nodes_.List(node, "clauses", clauses)) return false;
  for (size_t i = clauses.size(); i-- > 0;) {
    if (!Need(clauses[i], "rhs")) return false;
  }
  return Need(node, "data");
}

auto FunctionReader::Chain(uint32_t let) const -> std::vector<uint32_t> {
  std::vector<uint32_t> chain = {let};
  for (;;) {
    const auto next = graph_.child(chain.back(), "body");
    // A let with other users is a value of its own.
    if (!next || graph_.type_key(*next) != "relay.Let" || uses_[*next] != 1) return chain;
    chain.push_back(*next);
  }
}

auto FunctionReader::Emit(uint32_t node, Class kind) -> bool {
  FunctionBuilder& builder = *builder_;
  ExprId id;
  switch (kind) {
    case Class::kVar: return EmitVar(node);
    case Class::kGlobalVar:
    case Class::kConstructor:
    case Class::kOp:
    case Class::kConstant:
      if (!EmitLeaf(node, kind, id)) return false;
      break;
    case Class::kTuple: id = builder.Tuple(Ids(graph_.items(*graph_.child(node, "fields")))); break;
    case Class::kTupleGetItem: {
      int64_t index = 0;
      if (!nodes_.Integer(node, "index", index)) return false;
      if (index < 0 || index > INT32_MAX) return nodes_.Wrong(node, "index", "the number of a field");
      id = builder.TupleGetItem(Operand(node, "tuple_value"), static_cast<uint32_t>(index));
      break;
    }
    case Class::kCall:
      if (!EmitCall(node, id)) return false;
      break;
    case Class::kFunction:
      if (!EmitFunction(node, id)) return false;
      break;
    case Class::kLet: id = EmitLet(node); break;
    case Class::kIf:
      id = builder.If(Operand(node, "cond"), Operand(node, "true_branch"), Operand(node, "false_branch"));
      break;
    case Class::kRefCreate: id = builder.RefCreate(Operand(node, "value")); break;
    case Class::kRefRead: id = builder.RefRead(Operand(node, "ref")); break;
    case Class::kRefWrite: id = builder.RefWrite(Operand(node, "ref"), Operand(node, "value")); break;
    case Class::kMatch:
      if (!EmitMatch(node, id)) return false;
      break;
    case Class::kNone: return false;
  }
  Note(node, id);
  return true;
}

auto FunctionReader::EmitLeaf(uint32_t node, Class kind, ExprId& id) -> bool {
  if (kind == Class::kGlobalVar) {
    StringId name;
    if (!nodes_.Name(node, NameOf::kGlobal, name)) return false;
    id = builder_->Global(module_.NameGlobal(context_.text(name)));
  } else if (kind == Class::kConstructor) {
    CtorId ctor;
    if (!CtorOf(node, ctor)) return false;
    id = builder_->Constructor(ctor);
  } else if (kind == Class::kOp) {
    const OpDef* op = nullptr;
    if (!OpOf(node, op)) return false;
    id = builder_->Op(InternOpInstance(context_, {op, {}}));
  } else {
    const auto constant = graph_.Object(node);
    if (!constant) return false;
    id = builder_->Constant(context_.object(*constant).constant);
  }
  return true;
}

auto FunctionReader::EmitLet(uint32_t node) -> ExprId {
  std::vector<ExprId> steps;
  const std::vector<uint32_t> chain = Chain(node);
  for (const uint32_t let : chain) {
    steps.push_back(Operand(let, "var"));
    steps.push_back(Operand(let, "value"));
  }
  return builder_->Let(steps, Operand(chain.back(), "body"));
}

auto FunctionReader::EmitVar(uint32_t node) -> bool {
  if (IsDone(node)) return true;
  if (graph_.type_key(node) != "relay.Var") {
    nodes_.sink.Report(diag::kTvmJsonItem, graph_.range(node), "this", "a variable", nodes_.What(node));
    return false;
  }
  VarInfo info;
  uint32_t vid = 0;
  if (!nodes_.Child(node, "vid", vid) || !nodes_.Text(vid, "name_hint", info.name) ||
      !nodes_.Type(node, "type_annotation", info.annotation) || !nodes_.Device(node, info.virtual_device)) {
    return false;
  }
  Note(node, builder_->Var(info));
  return true;
}

auto FunctionReader::OpOf(uint32_t node, const OpDef*& out) -> bool {
  const auto made = graph_.Object(node);
  if (!made) return false;
  const std::string_view name = context_.text(context_.object(*made).text);
  out = FindOp(name);
  if (out == nullptr) {
    nodes_.sink.Report(diag::kTvmJsonName, graph_.range(node), fmt::format("unknown operator '{}'", Printable(name)));
  }
  return out != nullptr;
}

auto FunctionReader::CtorOf(uint32_t node, CtorId& out) -> bool {
  StringId name;
  if (!nodes_.Name(node, NameOf::kTypeOrConstructor, name)) return false;
  out = module_.FindConstructor(name);
  if (!out) {
    const auto text = fmt::format("the module has no constructor {}", Printable(context_.text(name)));
    nodes_.sink.Report(diag::kTvmJsonName, graph_.range(node), text);
  }
  return out.has_value();
}

auto FunctionReader::AttrsOf(uint32_t call, AttrsId& out) -> bool {
  ObjectId object;
  if (!nodes_.Object(call, "attrs", object)) return false;
  if (!object) return true;
  const Object& record = context_.object(object);
  const bool is_known = record.kind == ObjectKind::kAttrs;
  // Text is read by the same rule.
  const bool is_opaque = record.kind == ObjectKind::kNode && context_.text(record.type_key).ends_with("Attrs");
  if (!is_known && !is_opaque) return nodes_.Wrong(call, "attrs", "an attribute record");
  out = is_known ? record.attrs : context_.AddOpaqueAttrs(object);
  return true;
}

auto FunctionReader::EmitCall(uint32_t node, ExprId& out) -> bool {
  const std::vector<ExprId> args = Ids(graph_.items(*graph_.child(node, "args")));
  const uint32_t callee = *graph_.child(node, "op");
  AttrsId attrs;
  if (!AttrsOf(node, attrs)) return false;
  if (graph_.type_key(callee) != "Op") {
    out = builder_->Call(IdOf(callee), args, attrs);
    return true;
  }
  const OpDef* op = nullptr;
  if (!OpOf(callee, op)) return false;
  const AttrsSchema* given = attrs ? context_.attrs(attrs).schema : nullptr;
  if (op->attrs != nullptr && !op->attrs_undeclared && given != op->attrs) {
    nodes_.sink.Report(diag::kTvmJsonAttrs, graph_.range(node), op->name, given ? given->type_key : "null",
                       op->attrs->type_key);
    return false;
  }
  out = builder_->OpCall(InternOpInstance(context_, {op, attrs}), args);
  return true;
}

auto FunctionReader::EmitFunction(uint32_t node, ExprId& out) -> bool {
  FunctionInfo info;
  if (!nodes_.Type(node, "ret_type", info.result) || !nodes_.Types(node, "type_params", info.type_params) ||
      !nodes_.Dictionary(node, "attrs", info.attrs) || !nodes_.Device(node, info.virtual_device)) {
    return false;
  }
  const auto params = graph_.items(*graph_.child(node, "params"));
  if (!std::ranges::all_of(params, [&](uint32_t param) { return graph_.type_key(param) == "relay.Var"; })) {
    return nodes_.Wrong(node, "params", "an array of variables");
  }
  out = builder_->Lambda(std::move(info), Ids(params), Operand(node, "body"));
  return true;
}

auto FunctionReader::EmitMatch(uint32_t node, ExprId& out) -> bool {
  MatchInfo info;
  int64_t complete = 0;
  if (!nodes_.Integer(node, "complete", complete)) return false;
  info.complete = complete != 0;
  std::vector<ExprId> operands = {Operand(node, "data")};
  for (const uint32_t clause : graph_.items(*graph_.child(node, "clauses"))) {
    MatchClause read;
    uint32_t pattern = 0;
    read.first_operand = static_cast<uint32_t>(operands.size());
    if (!nodes_.Child(clause, "lhs", pattern) || !AddPattern(info, pattern, operands, read.pattern)) return false;
    read.rhs = static_cast<uint32_t>(operands.size());
    operands.push_back(Operand(clause, "rhs"));
    info.clauses.push_back(read);
  }
  out = builder_->Match(std::move(info), operands);
  return true;
}

// The parts of a pattern get consecutive numbers; variables are operands from left to right.
auto FunctionReader::AddPattern(MatchInfo& info, uint32_t root, std::vector<ExprId>& operands, uint32_t& out) -> bool {
  out = static_cast<uint32_t>(info.patterns.size());
  info.patterns.emplace_back();
  std::vector<std::pair<uint32_t, uint32_t>> work = {{out, root}};
  while (!work.empty()) {
    const auto [at, node] = work.back();
    work.pop_back();
    const std::string_view key = graph_.type_key(node);
    Pattern pattern;
    std::span<const uint32_t> children;
    if (key == "relay.PatternVar") {
      uint32_t var = 0;
      if (!nodes_.Child(node, "var", var) || !EmitVar(var)) return false;
      pattern.kind = PatternKind::kVar;
      pattern.operand = static_cast<uint32_t>(operands.size());
      operands.push_back(IdOf(var));
    } else if (key == "relay.PatternConstructor") {
      uint32_t ctor = 0;
      pattern.kind = PatternKind::kConstructor;
      if (!nodes_.Child(node, "constructor", ctor) || !CtorOf(ctor, pattern.ctor)) return false;
      if (!nodes_.List(node, "patterns", children)) return false;
    } else if (key == "relay.PatternTuple") {
      pattern.kind = PatternKind::kTuple;
      if (!nodes_.List(node, "patterns", children)) return false;
    } else if (key != "relay.PatternWildcard") {
      nodes_.sink.Report(diag::kTvmJsonItem, graph_.range(node), "this", "a pattern", nodes_.What(node));
      return false;
    }
    // A pattern that contains itself, or sharing that expands too far.
    if (info.patterns.size() > graph_.size()) {
      nodes_.sink.Report(diag::kTvmJsonCycle, graph_.range(node));
      return false;
    }
    pattern.first_child = static_cast<uint32_t>(info.children.size());
    pattern.num_children = static_cast<uint32_t>(children.size());
    const auto base = static_cast<uint32_t>(info.patterns.size());
    for (uint32_t i = 0; i < children.size(); ++i) {
      info.children.push_back(base + i);
      info.patterns.emplace_back();
    }
    for (uint32_t i = pattern.num_children; i-- > 0;) work.emplace_back(base + i, children[i]);
    info.patterns[at] = pattern;
  }
  return true;
}

}  // namespace relayopt
