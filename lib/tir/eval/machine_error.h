// Creates the errors of the machine.
#pragma once

#include "lib/tir/eval/machine.h"

namespace relayopt::tir {

template <typename... Args>
auto Machine::Error(const Strand& strand, std::type_identity_t<KindFor<Args...>> kind, const Args&... args) -> bool {
  error_ = MakeDiagnostic(kind, strand.program->func->stmt(PlaceOf(strand).stmt).range(), args...);
  NoteLoops(strand, *error_);
  return false;
}

}  // namespace relayopt::tir
