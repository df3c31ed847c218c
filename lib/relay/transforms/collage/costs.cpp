// The costs of candidates, and the names of their functions.
#include "costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/relay/transforms/expr_copier.h"
#include "lib/relay/transforms/free_vars.h"
#include "part_writer.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/support/characters.h"

namespace relayopt {

namespace {

// Returns a literal as a function of its own.
auto Alone(const Function& function, ExprId literal) -> Function {
  FunctionBuilder alone(function.context());
  const ExprId root = ExprCopier(function, alone).Copy(literal);
  return Relayout(alone.Finish(root));
}

// Writes a function as bytes that are equal for functions that differ in names only.
class FunctionKey {
 public:
  auto Of(const Function& function) -> std::string {
    for (const ExprId id : function.ids()) {
      Number(static_cast<uint64_t>(function.kind(id)));
      Number(function.operands(id).size());
      for (const ExprId operand : function.operands(id)) Number(operand.value());
      Payload(function, id);
    }
    return std::move(text_);
  }

 private:
  void Number(uint64_t number) { text_.append(reinterpret_cast<const char*>(&number), sizeof(number)); }
  void Text(std::string_view text) {
    Number(text.size());
    text_ += text;
  }
  template <typename IdT>
  void Id(IdT id) {
    Number(id ? id.value() + uint64_t{1} : 0);
  }

  void Clauses(const MatchInfo& match) {
    Number(match.complete ? 1 : 0);
    for (const MatchClause& each : match.clauses) {
      for (const uint32_t number : {each.pattern, each.first_operand, each.rhs}) Number(number);
    }
    for (const Pattern& each : match.patterns) {
      Number(static_cast<uint64_t>(each.kind));
      Id(each.ctor);
      for (const uint32_t number : {each.operand, each.first_child, each.num_children}) Number(number);
    }
    for (const uint32_t child : match.children) Number(child);
  }

  void Payload(const Function& function, ExprId id) {
    switch (function.kind(id)) {
      case ExprKind::kVar: return Id(function.var(id).annotation);
      case ExprKind::kConstant: {
        const Constant& constant = function.constant(id);
        Text(ToString(constant.dtype()));
        Number(constant.shape().size());
        for (const int64_t extent : constant.shape()) Number(static_cast<uint64_t>(extent));
        const auto bytes = constant.Bytes();
        return Text({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
      }
      case ExprKind::kFunction: {
        const FunctionInfo& info = function.info(id);
        Id(info.result);
        for (const FunctionAttr& each : info.attrs) {
          Id(each.key);
          const Object& value = function.context().object(each.value);
          Number(static_cast<uint64_t>(value.kind));
          if (value.kind == ObjectKind::kString) {
            Id(value.text);
          } else if (value.kind == ObjectKind::kInt) {
            Number(static_cast<uint64_t>(value.integer));
          } else {
            Id(each.value);
          }
        }
        return;
      }
      case ExprKind::kMatch: return Clauses(function.match(id));
      case ExprKind::kTuple:
      case ExprKind::kLet:
      case ExprKind::kIf:
      case ExprKind::kRefCreate:
      case ExprKind::kRefRead:
      case ExprKind::kRefWrite: return;
      default: return Number(function.payload(id));
    }
  }

  std::string text_;
};

}  // namespace

auto CollageFunctions::FreshName(std::string_view compiler, std::string_view label) -> std::string {
  std::string name = "collage";
  for (const std::string_view hint : {compiler, label}) {
    if (!hint.empty()) name.append("_").append(hint);
  }
  std::ranges::replace_if(
      name, [](char c) { return !IsLetterOrDigit(c); }, '_');
  std::string fresh = name;
  while (!used_.try_emplace(fresh, 1).second) fresh = fmt::format("{}_{}", name, used_[name]++);
  return fresh;
}

auto CollageFunctions::EntryOf(const Function& function, std::string_view label) -> Entry& {
  const auto [place, is_new] = entries_.try_emplace(FunctionKey().Of(function));
  if (is_new) {
    const StringId compiler = CompilerAttr(function, function.root());
    place->second.name = FreshName(compiler ? function.context().text(compiler) : "tvm", label);
  }
  return place->second;
}

auto CollageFunctions::CostOf(const CollageGraph& graph, const CollageCandidate& candidate) -> Result<double> {
  FunctionBuilder to(graph.function().context());
  const Function whole = Relayout(to.Finish(PartWriter(graph, to).WritePart(*candidate.part)));
  // A candidate that is one call of a kernel is known by the kernel.
  const ExprId body = whole.body();
  const ExprId callee = whole.kind(body) == ExprKind::kCall ? whole.operand(body, 0) : ExprId();
  const bool is_kernel = callee && IsPrimitive(whole, callee);
  Entry& entry = EntryOf(is_kernel ? Alone(whole, callee) : whole, candidate.part->label());
  if (entry.cost) return *entry.cost;
  Module module = empty_;
  const GlobalId main = module.NameGlobal("main");
  std::optional<Function> outlined = Outline(module, whole);
  module.SetFunction(main, std::make_shared<const Function>(outlined ? *std::move(outlined) : whole));
  if (!InferTypes(module, context_.diagnostics())) {
    return MakeDiagnostic(diag::kPassFailed, {}, "CollagePartition");
  }
  RELAYOPT_TRY(double cost, estimate_(module, *candidate.target));
  // A candidate of unknown cost cannot be chosen.
  if (std::isnan(cost)) cost = std::numeric_limits<double>::infinity();
  entry.cost = cost;
  return cost;
}

auto CollageFunctions::Outline(Module& module, const Function& function) -> std::optional<Function> {
  return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
    if (id == function.root() || !CompilerAttr(function, id)) return {};
    const ExprId literal = rebuild.Copy(id);
    if (!FreeVars(rebuild.to().function(), literal).empty()) return literal;
    Function alone = Alone(rebuild.to().function(), literal);
    const std::string name = EntryOf(alone, "").name;
    Context& context = function.context();
    std::vector<FunctionAttr>& attrs = alone.mutable_info(alone.root()).attrs;
    std::erase_if(attrs, [&](const FunctionAttr& each) { return context.text(each.key) == attr::kGlobalSymbol; });
    attrs.push_back({context.Intern(attr::kGlobalSymbol), context.AddString(name)});
    const GlobalId global = module.NameGlobal(name);
    if (module.function(global) == nullptr) {
      module.SetFunction(global, std::make_shared<const Function>(std::move(alone)));
    }
    const ExprId made = rebuild.to().Global(global);
    rebuild.to().SetType(made, function.type(id));
    return made;
  });
}

}  // namespace relayopt
