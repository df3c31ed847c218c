// RemapThreadAxis: threads get the index of another dimension of the launch.
//
//   with T.launch_thread("threadIdx.x", 32) as tx:    ->    with T.launch_thread("threadIdx.y", 32) as tx:
//
// by `threadIdx.x=threadIdx.y`. All launches over one dimension share one variable afterwards.
#include <fmt/core.h>

#include "lib/tir/transforms/passes.h"
#include "relayopt/tir/analysis/storage_scope.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kTaken{
    "remap-thread-taken", Severity::kError,
    "RemapThreadAxis: the function has threads over {} already, which those over {} would become"};
constexpr DiagnosticKind kNoMap{"remap-thread-axis", Severity::kError,
                                "RemapThreadAxis: {}; threads=threadIdx.x=threadIdx.y says which"};

struct RemapOptions {
  std::vector<std::string> threads;
  static constexpr auto Fields() {
    return std::array{Option<&RemapOptions::threads>("threads", "old and new tags, such as threadIdx.x=threadIdx.y")};
  }
};

using Tags = absl::flat_hash_map<StringId, StringId>;

class AxisRemapper : public Rewriter {
 public:
  AxisRemapper(const PrimFunc& func, const Tags& tags) : Rewriter(func), tags_(tags) {}

 protected:
  void EnterPart(Stmt stmt, size_t, Exprs) override {
    const auto attr = RemappedAttr(stmt);
    if (!attr) return;
    const IterVar old = tables().iter_var(attr->node().iter_var());
    const auto [made, is_new] = axes_.try_emplace(old.thread_tag);
    if (is_new) {
      IterVar axis = old;
      axis.thread_tag = tags_.at(old.thread_tag);
      made->second = tables().Add(axis);
    }
    Replace(old.var, tables().iter_var(made->second).var);
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto attr = RemappedAttr(stmt);
    if (!attr) return Rewriter::Leave(stmt, parts);
    const IterVarId axis = axes_.at(tables().iter_var(attr->node().iter_var()).thread_tag);
    return builder().Attr(axis, attr->key(), parts.exprs.back(), parts.stmts[0]);
  }

 private:
  auto RemappedAttr(Stmt stmt) const -> std::optional<AttrStmt> {
    const auto attr = stmt.As<AttrStmt>();
    if (!attr || !attr->node().iter_var() || attr->key_text() != "thread_extent") return std::nullopt;
    return tags_.contains(tables().iter_var(attr->node().iter_var()).thread_tag) ? attr : std::nullopt;
  }

  const Tags& tags_;
  // Keyed by the old tag.
  absl::flat_hash_map<StringId, IterVarId> axes_;
};

// A dimension that the function has already must become another one itself.
auto CheckTaken(const PrimFunc& func, const Tags& tags) -> std::optional<Diagnostic> {
  absl::flat_hash_map<StringId, SourceRange> used;
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const auto attr = func.stmt(id).As<AttrStmt>();
    if (!attr || !attr->launched_thread()) continue;
    used.try_emplace(func.tables().iter_var(attr->launched_thread()).thread_tag, func.stmt(id).range());
  }
  for (const auto& [from, to] : tags) {
    const auto taken = used.find(to);
    if (!used.contains(from) || taken == used.end() || tags.contains(to)) continue;
    return MakeDiagnostic(kTaken, taken->second, func.context().text(to), func.context().text(from));
  }
  return std::nullopt;
}

struct RemapThreadAxisPass {
  using Options = RemapOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    Context& context = func.context();
    Tags tags;
    for (const std::string& entry : options.threads) {
      const size_t at = entry.find('=');
      if (at == std::string::npos)
        return MakeDiagnostic(kNoMap, {}, fmt::format("'{}' names no two dimensions", entry));
      for (const std::string& tag : {entry.substr(0, at), entry.substr(at + 1)}) {
        if (!ParseThreadScope(tag)) return MakeDiagnostic(kNoMap, {}, fmt::format("'{}' is no dimension", tag));
      }
      tags[context.Intern(entry.substr(0, at))] = context.Intern(entry.substr(at + 1));
    }
    if (tags.empty()) return MakeDiagnostic(kNoMap, {}, "which dimensions?");
    if (auto error = CheckTaken(func, tags)) return *std::move(error);
    std::optional<PrimFunc> made = AxisRemapper(func, tags).Run();
    const ObjectId params = func.FindAttr("tir.kernel_launch_params");
    if (!made || !params) return made;
    std::vector<ObjectId> names;
    for (const ObjectId item : context.object(params).items) {
      const auto found = tags.find(context.object(item).text);
      names.push_back(found == tags.end() ? item : context.AddString(context.text(found->second)));
    }
    made->SetAttr("tir.kernel_launch_params", context.AddArray(names));
    return made;
  }
};

}  // namespace

constinit const PassDef kRemapThreadAxisPass = DescribePass<RemapThreadAxisPass>({
    .name = "tir.RemapThreadAxis",
    .summary = "Bind threads to other dimensions of the launch",
    .details = R"(By threads=threadIdx.x=threadIdx.y:
  with T.launch_thread("threadIdx.x", 32) as tx:    ->    with T.launch_thread("threadIdx.y", 32) as tx:

The list of a kernel's launch parameters follows.)",
    .aliases = "tir.transform.RemapThreadAxis",
});

}  // namespace relayopt::tir
