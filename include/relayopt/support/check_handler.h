// What a failed RELAYOPT_CHECK does in programs that must outlive one.
#pragma once

#include <stdexcept>
#include <string>

namespace relayopt {

// A failed check as an exception.
class CheckError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Called with the message of a failed check. It must not return: it throws, or ends the program.
using CheckHandler = void (*)(const std::string& message);

// Makes failed checks call `handler` instead of printing their message and aborting; null restores that. Applies to the
// whole process. What a check interrupted may be left half done: only objects that were not involved can be used on.
void SetCheckHandler(CheckHandler handler);

}  // namespace relayopt
