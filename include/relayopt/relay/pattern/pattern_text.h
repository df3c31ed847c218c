// The text notation of patterns, used in options and files.
#pragma once

#include <string_view>

#include "relayopt/relay/pattern/pattern.h"
#include "relayopt/support/result.h"

namespace relayopt {

// Reads a pattern:
//
//   *                        anything
//   %, %x                    a variable; one of this name
//   const                    a constant
//   nn.conv2d                an operator
//   p(q, r)  p(...)          a call of p with these arguments; with any
//   (p, q)  (p,)  (...)      a tuple with these fields; with any
//   p.0  p.*                 a field of a tuple; any field
//   p | q                    p, or else q
//   p {groups=1, layout="NCHW"}   p with these attributes
//   p : float32  p : (1, ?)  p of this element type; of this shape
//   $name=p  $name           p, and the same expression wherever the name occurs again
//   fn(p, q), if(p, q, r), let(v, p, q)   parameters and body; condition and branches; variable, value and result
//   dominates(parent, path, child)        a child that is reached from a parent through a path
//
// An error says where the text went wrong.
auto ParsePattern(Context& context, PatternTable& table, std::string_view text) -> Result<DFPattern>;

}  // namespace relayopt
