// Reports the messages of type inference about one function.
#pragma once

#include <string>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/types/unifier.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

class TypeMessages {
 public:
  TypeMessages(const Module& module, const Function& function, Unifier& unifier, DiagnosticSink& sink)
      : module_(module), function_(function), unifier_(unifier), sink_(sink), errors_before_(sink.errors()) {}

  // Sets the expression being typed; messages are about it.
  void set_user(ExprId user) { user_ = user; }

  auto sink() -> DiagnosticSink& { return sink_; }
  // Whether there was an error in this function.
  auto has_errors() const -> bool { return sink_.errors() != errors_before_; }

  // Reports that `at`, described as `what`, has type `found` instead of `expected`.
  void Mismatch(ExprId at, std::string_view what, TypeId found, TypeId expected);
  void Mismatch(ExprId at, TypeId found, TypeId expected) { Mismatch(at, Describe(at), found, expected); }

  auto Name(TypeId type) -> std::string;
  auto Describe(ExprId id) const -> std::string;

 private:
  // Returns the range where the current expression uses `id`. When `id` is written elsewhere, as variables are, this is
  // the range of its name.
  auto UseOf(ExprId id) const -> SourceRange;

  const Module& module_;
  const Function& function_;
  Unifier& unifier_;
  DiagnosticSink& sink_;
  const size_t errors_before_;
  ExprId user_;
};

}  // namespace relayopt
