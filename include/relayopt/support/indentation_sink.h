// A sink of text that does not need the blanks at the beginning of lines.
#pragma once

#include "relayopt/support/text_sink.h"

namespace relayopt {

// Code n levels deep is indented by n * n blanks altogether: a sink that only counts, hashes or reads text receives the
// indentation of lines as numbers. Printers that know such sinks call Indent; others write the blanks.
class IndentationSink : public TextSink {
 public:
  // Called between the end of a line and the next text, for the line that begins.
  virtual void Indent(size_t blanks) = 0;

 protected:
  ~IndentationSink() = default;
};

}  // namespace relayopt
