// Files that show a fault again: a module with a header that says what to run on it.
//
//   // relayopt-reproducer v1
//   // tool: relayopt 0.1.0
//   // passes: FoldConstant
//   // args: --opt-level=5
//   // failure: signal 11 (Segmentation fault) in pass FoldConstant on @main (pass #12)
//   // run: relayopt --run-reproducer crash.relay
//   #[version = "0.0.5"]
//   def @main(...) ...
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

struct Reproducer {
  // The pipeline.
  std::string passes;
  // Further arguments that the run needs, quoted as for a shell.
  std::string args;
  // What went wrong; may be empty.
  std::string failure;
};

// Writes a reproducer; the reason when that fails. For crashes, so it does as little as it can: no temporary file.
auto WriteReproducer(const std::string& path, const Reproducer& reproducer, const Module& module)
    -> std::optional<std::string>;

// Whether a text begins with the header.
auto IsReproducer(std::string_view text) -> bool;

// Replaces `--run-reproducer=FILE` among arguments with what the header of the file says; the option stays, for those
// who want to know. An error message when there is something wrong with the file.
auto ExpandReproducer(std::vector<std::string>& arguments) -> std::optional<std::string>;

}  // namespace relayopt
