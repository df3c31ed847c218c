// Provenance: from which expressions of the input of a run an expression came, and which passes made it.
//
//   TrackOrigins(module);             // from here on every function knows the origins of its expressions
//   ... passes run, with an OriginRecorder among the instruments ...
//   FindOrigin(function, expr)        // {sources: conv2d of line 3, batch_norm of line 4; runs: SimplifyInference}
//
// Origins travel with functions, as ranges and spans do: `FunctionBuilder::Copy` keeps the origin of the expression.
// What is added while `Rebuild` visits an old expression comes from that expression, and also from the operands of it
// that are not in the result any more:
//
//   before: %0 = nn.conv2d(%x, %w)                      // from a
//           %1 = nn.batch_norm(%0, ...); %1.0           // from b
//   after:  %0 = nn.conv2d(%x, %w)                      // from a
//           %1 = multiply(%0, %s); add(%1, %t)          // both from b, made by SimplifyInference
//
// An expression that becomes one that was there before, such as a call that is merged with an equal one, adds its
// origin to it. Nothing is tracked, and nothing costs time, until TrackOrigins is called.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/append_table.h"

namespace relayopt {

// An expression of the input.
struct OriginSource {
  GlobalId global;
  std::shared_ptr<const Function> function;
  ExprId expr;
};

// A numbered run of a pass.
struct OriginRun {
  std::string pass;
  uint64_t number = 0;
};

// Where an expression came from: positions in OriginTable::sources() and OriginTable::runs(), ascending.
struct Origin {
  std::vector<uint32_t> sources;
  std::vector<uint32_t> runs;
  // Whether there are more sources than were asked for.
  bool has_more = false;
};

// The origins of the expressions of a context, as a graph: an origin is a source, a join of two origins, or an origin
// that passed through a run. Origin 0 has no sources. Thread-safe except for sources and runs, which are added while no
// pass rewrites functions.
class OriginTable {
 public:
  explicit OriginTable(Context& context);

  auto AddSource(OriginSource source) -> OriginId;
  // The origin of what comes from both. Either may be invalid.
  auto Join(OriginId a, OriginId b) -> OriginId;
  // The origin of what the current run makes from `base`; `base` itself if there is no run.
  auto Made(OriginId base) -> OriginId;
  // Begins a run, or continues one; returns its position.
  auto BeginRun(OriginRun run) -> uint32_t;
  void ContinueRun(uint32_t run);

  auto sources() const -> const std::vector<OriginSource>& { return sources_; }
  auto runs() const -> const std::vector<OriginRun>& { return runs_; }
  // Returns what an origin stands for, with at most `limit` sources.
  auto Resolve(OriginId id, size_t limit = SIZE_MAX) const -> Origin { return Resolve(std::vector{id}, limit); }
  // The same for several origins together.
  auto Resolve(std::vector<OriginId> ids, size_t limit = SIZE_MAX) const -> Origin;

 private:
  static constexpr uint32_t kNoRun = UINT32_MAX;
  enum class Kind : uint8_t { kNothing, kSource, kJoin, kMade };
  struct Record {
    Kind kind = Kind::kNothing;
    // The source; the joined origins; or the base and the run.
    uint32_t a = 0;
    uint32_t b = 0;
  };

  std::mutex mutex_;
  AppendTable<OriginId, Record> records_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, OriginId> joins_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, OriginId> made_;
  std::vector<OriginSource> sources_;
  std::vector<OriginRun> runs_;
  uint32_t run_ = kNoRun;
};

// Makes every computing expression of the functions of Relay (calls, branches, matches, references) a source, and
// tracks where expressions come from in everything that is made from the module.
void TrackOrigins(Module& module);

// Returns where an expression came from. A kernel, that is a closure or a call of one, came from what its body came
// from.
auto FindOrigin(const Function& function, ExprId expr, size_t limit = SIZE_MAX) -> Origin;

// Returns the range of the expression in the source text, or else that of the first operator it came from; invalid if
// neither is known.
auto FindRange(const Function& function, ExprId expr) -> SourceRange;

// Tells the origin table which run of which pass makes expressions.
class OriginRecorder final : public PassInstrument {
 public:
  auto RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> override;
  auto RunAfterPass(const Module& module, const PassInfo& info, bool changed) -> std::optional<Diagnostic> override;
  void PassFailed(const Module& module, const PassInfo& info, const Diagnostic& error) override;

 private:
  void End(const Module& module, const PassInfo& info);

  uint64_t number_ = 0;
  // The runs that have not ended, outermost first.
  std::vector<uint32_t> open_;
};

}  // namespace relayopt
