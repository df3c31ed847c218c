// Pipelines as text: `FoldConstant,fixpoint<max=3>(SimplifyExpr,fuse-ops{fuse_opt_level=1})`.
//
//   pipeline = element { "," element } [ "," ]
//   element  = name [ options ] [ "(" pipeline ")" ]
//   options  = "<" [ option { ";" option } ] ">"  |  "{" [ option { space option } ] "}"
//   option   = key "=" value | key | "no-" key
//
// A name is that of a pass (see FindPass) or one of the combinators module(...), LEVEL(...) for a kind of functions
// (such as function(...), see FunctionKind::pass_level), fixpoint<max=N>(...), repeat<N>(...), with-target(...),
// with-config<KEY>(...) and without-config<KEY>(...) for a boolean key of the context's config, where<ATTR=N>(...) and
// where<ATTR!=N>(...), which run passes as if the module had no functions but those with such an attribute, and
// default<NAME;PARAMETER=VALUE>. A value is a word, a quoted string, or text in which brackets, braces and quotes
// balance. White space, new lines and `#` comments are allowed between all of these.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/pass/pass.h"
#include "relayopt/pass/registry.h"

namespace relayopt {

// One element of a pipeline.
struct PipelineElement {
  enum class Kind : uint8_t {
    kPass,
    kNamed,     // `default<O2>`
    kFixpoint,  // the children again and again until nothing changes, at most `count` times
    kRepeat,    // the children `count` times
    kTarget,    // the children where the context has a target
    kConfig,    // the children where the config key `word` is true, or with `negated` where it is not
    kWhere,     // the children on functions whose attribute `word` is `count`, or with `negated` is not
  };
  Kind kind = Kind::kPass;
  // The pass, for kPass.
  const PassDef* def = nullptr;
  PassOptions options{kNoOptions};
  // The pipeline that the name stands for, for kNamed.
  const NamedPipeline* named = nullptr;
  // The parameters given to a kNamed.
  std::vector<std::pair<std::string, std::string>> arguments;
  std::string word;
  bool negated = false;
  int64_t count = 0;
  std::vector<PipelineElement> children;
  // The range of the element in the text.
  SourceRange range;
};

using Pipeline = std::vector<PipelineElement>;

// The maximum number of runs of fixpoint(...) if no `max` is given.
inline constexpr int64_t kFixpointDefault = 10;

// Parses a pipeline. Ranges in diagnostics are offsets in `text`. Also checks levels: function(...) must not contain
// module passes or passes over functions of another kind. module(...) and function(...) leave no trace in the result.
auto ParsePipeline(std::string_view text) -> Result<Pipeline>;

// Returns the text of the pipeline that a kNamed stands for, with its arguments substituted.
auto Expansion(const PipelineElement& element) -> std::string;

// Returns the canonical text of a pipeline, which parses to the same pipeline. It has names as in the table of passes,
// and only options that differ from their defaults.
auto ToString(const Pipeline& pipeline) -> std::string;

// Returns the pass that runs the pipeline: a Sequential with the name `sequential`.
auto BuildPipeline(const Pipeline& pipeline) -> Result<PassRef>;

}  // namespace relayopt
