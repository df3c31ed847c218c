// Remarks: what a pass did, or could not do, at a place in the program.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/pass/pass_context.h"
#include "relayopt/support/source.h"

namespace relayopt {

enum class RemarkKind : uint8_t {
  kPassed,    // a rewrite was made
  kMissed,    // one was not made although somebody may have expected it
  kAnalysis,  // what the pass found out, for example why it did not act
};

// One remark; made in one expression:
//
//   context.Report(Remark(RemarkKind::kPassed, "Inline", "Inlined", module.name(caller), range)
//                      .Text("call of ").Arg("Callee", name).Text(" replaced by its body"));
struct Remark {
  Remark(RemarkKind kind, std::string_view pass, std::string_view name, std::string_view function, SourceRange range)
      : kind(kind), pass(pass), name(name), function(function), range(range) {}

  auto Text(std::string_view text) -> Remark&& {
    args.emplace_back("String", text);
    return std::move(*this);
  }
  auto Arg(std::string_view key, std::string_view value) -> Remark&& {
    args.emplace_back(key, value);
    return std::move(*this);
  }
  // The sentence: all arguments one after the other.
  auto message() const -> std::string;

  RemarkKind kind;
  // The name of the pass's row.
  std::string pass;
  // What happened in one word, the same for every remark of a kind: `Inlined`.
  std::string name;
  // The global function, without `@`.
  std::string function;
  // The place in the source text; may be nowhere.
  SourceRange range;
  // Keys and values: the pieces of the message. Plain words have the key `String`.
  std::vector<std::pair<std::string, std::string>> args;
  // Which run of a pass made it; filled in by the log.
  size_t run = 0;
};

// Collects remarks while passes run. An instrument too, so that it knows which run of a pass a remark belongs to.
// Threads may report at the same time as long as each works on functions of its own.
class RemarkLog final : public PassInstrument {
 public:
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  // Says for a pass that has said nothing which functions it changed, and by how much, or that it changed none.
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;
  void Add(Remark remark);

  // The remarks so far, which are forgotten: by run of a pass, then by function, then as they were made.
  auto Take() -> std::vector<Remark>;

 private:
  // A pass that runs.
  struct Open {
    Module before;
    size_t remarks;
  };

  std::mutex mutex_;
  size_t run_ = 0;
  // Outermost first.
  std::vector<Open> open_;
  std::vector<Remark> remarks_;
};

// One YAML document as llvm-opt-report and opt-viewer read it. `source` may be null.
auto ToYaml(const Remark& remark, const SourceText* source) -> std::string;

}  // namespace relayopt
