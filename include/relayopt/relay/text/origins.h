// Shows where the expressions of a module came from.
#pragma once

#include <string>

#include "relayopt/module/module.h"
#include "relayopt/module/print.h"
#include "relayopt/relay/ir/provenance.h"

namespace relayopt {

// Prints a module as PrintModule does, with a comment at the end of each line whose expression came from operators of
// the input. It names these with their positions, or layers of the original model in quotes, and the passes that made
// the expression from them:
//
// %0 = multiply(%x, %s);  // from nn.batch_norm 4:8 "bn1"; by SimplifyInference
//
// The parser ignores these comments. Constants are neither left out nor moved to a file. Functions must be tracked
// (TrackOrigins).
auto PrintWithOrigins(const Module& module, PrintOptions options) -> std::string;

// Returns the same as JSON; docs/provenance.md describes it.
auto OriginsJson(const Module& module, PrintOptions options) -> std::string;

// Returns an expression of the input in a word: the operator, or the kind of expression.
auto SourceWord(const OriginSource& source) -> std::string_view;
// Returns the layer of the original model that it belongs to; empty if unknown.
auto SourceLayer(const OriginSource& source) -> std::string_view;
// Returns the word with the position in the text and the layer, as far as known: `nn.conv2d 4:8 "conv1"`.
auto SourceName(const Module& module, const OriginSource& source) -> std::string;

}  // namespace relayopt
