// Remarks: what a pass did, or could not do, at a position in the program.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/pass/pass_context.h"
#include "relayopt/support/source.h"

namespace relayopt {

// What a remark reports; the names are those of LLVM's remarks.
enum class RemarkKind : uint8_t {
  kPassed,    // a rewrite was applied
  kMissed,    // one was not made although it might be expected
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
  // Returns the message: all arguments concatenated.
  auto message() const -> std::string;

  RemarkKind kind;
  // The name of the pass, as in its row.
  std::string pass;
  // What happened, in one word that is the same for all remarks of a kind: `Inlined`.
  std::string name;
  // The name of the global function, without `@`.
  std::string function;
  // The range in the source text; may be empty.
  SourceRange range;
  // The pieces of the message as keys and values. Plain text has the key `String`.
  std::vector<std::pair<std::string, std::string>> args;
  // The number of the run of a pass that made the remark; filled in by the log.
  size_t run = 0;
};

// Collects remarks while passes run. It is an instrument too, in order to know which run of a pass a remark belongs to.
// Threads may report at the same time as long as each works on different functions.
class RemarkLog final : public PassInstrument {
 public:
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  // For a pass that made no remarks, adds remarks that say which functions it changed and by how much, or that it
  // changed none.
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;
  void Add(Remark remark);

  // Returns the remarks so far and clears the log. They are ordered by run of a pass, then by function, then by time.
  auto Take() -> std::vector<Remark>;

 private:
  // A running pass.
  struct Open {
    Module before;
    size_t remarks;
  };

  std::mutex mutex_;
  size_t run_ = 0;
  // The running passes, outermost first.
  std::vector<Open> open_;
  std::vector<Remark> remarks_;
};

// Returns the remark as a YAML document in the format of llvm-opt-report and opt-viewer. `source` may be null.
auto ToYaml(const Remark& remark, const SourceText* source) -> std::string;

}  // namespace relayopt
