// RemapThreadAxis: threads get the index of another dimension of the launch.
//
//   with T.launch_thread("threadIdx.x", 32) as tx:    ->    with T.launch_thread("threadIdx.y", 32) as tx:
//
// by `threadIdx.x=threadIdx.y`. Each launch keeps its variable and its extent.
#include <fmt/core.h>

#include "lib/tir/transforms/passes.h"
#include "relayopt/tir/analysis/storage_scope.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kTaken{"remap-thread-taken", Severity::kError,
                                "RemapThreadAxis: {} cannot become {}, over which the function already has threads"};
constexpr DiagnosticKind kNoMap{"remap-thread-axis", Severity::kError,
                                "RemapThreadAxis: {}; write for example threads=threadIdx.x=threadIdx.y"};

struct RemapOptions {
  std::vector<std::string> threads;
  static constexpr auto Fields() {
    return std::array{Option<&RemapOptions::threads>("old and new tags, such as threadIdx.x=threadIdx.y")};
  }
};

using Tags = absl::flat_hash_map<StringId, StringId>;

class AxisRemapper : public Rewriter {
 public:
  AxisRemapper(const PrimFunc& func, const Tags& tags) : Rewriter(func), tags_(tags) {}

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto attr = stmt.As<AttrStmt>();
    if (!attr || !attr->node().iter_var() || attr->key_text() != "thread_extent") return Rewriter::Leave(stmt, parts);
    const IterVarId old = attr->node().iter_var();
    const auto to = tags_.find(tables().iter_var(old).thread_tag);
    if (to == tags_.end()) return Rewriter::Leave(stmt, parts);
    const auto [made, is_new] = axes_.try_emplace(old);
    if (is_new) {
      IterVar axis = tables().iter_var(old);
      axis.thread_tag = to->second;
      made->second = tables().Add(axis);
    }
    return builder().Attr(made->second, attr->key(), parts.exprs.back(), parts.stmts[0]);
  }

 private:
  const Tags& tags_;
  // The new axis of each old one: kernels of one function may launch different numbers of threads over a dimension.
  absl::flat_hash_map<IterVarId, IterVarId> axes_;
};

// Returns an error if two sets of threads would share a dimension: those that stay on it (threads of loops, and of
// dimensions that are not remapped) and those that are moved to it.
auto CheckTaken(const PrimFunc& func, const Tags& tags) -> std::optional<Diagnostic> {
  absl::flat_hash_map<StringId, SourceRange> stay;
  // By the new tag, in the order of the statements.
  std::vector<std::pair<StringId, StringId>> moved;
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const Stmt stmt = func.stmt(id);
    const auto attr = stmt.As<AttrStmt>();
    const auto loop = stmt.As<For>();
    const IterVarId thread = attr ? attr->launched_thread() : loop ? loop->thread_binding() : IterVarId();
    if (!thread) continue;
    const StringId tag = func.tables().iter_var(thread).thread_tag;
    const auto to = tags.find(tag);
    if (attr && to != tags.end()) {
      moved.emplace_back(to->second, tag);
    } else {
      stay.try_emplace(tag, stmt.range());
    }
  }
  for (const auto& [to, from] : moved) {
    const auto taken = stay.find(to);
    if (taken == stay.end()) continue;
    return MakeDiagnostic(kTaken, taken->second, func.context().text(from), func.context().text(to));
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
        return MakeDiagnostic(kNoMap, {}, fmt::format("'{}' does not name two dimensions", entry));
      for (const std::string& tag : {entry.substr(0, at), entry.substr(at + 1)}) {
        if (!ParseThreadScope(tag)) return MakeDiagnostic(kNoMap, {}, fmt::format("'{}' is not a dimension", tag));
      }
      const StringId to = context.Intern(entry.substr(at + 1));
      for (const auto& other : tags) {
        if (other.second == to)
          return MakeDiagnostic(kNoMap, {}, fmt::format("two dimensions become {}", context.text(to)));
      }
      tags[context.Intern(entry.substr(0, at))] = to;
    }
    if (tags.empty()) return MakeDiagnostic(kNoMap, {}, "no dimensions are named");
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
