// The smallest use of the installed library: reads a model, optimizes it and prints it. `user FILE PASSES`; messages go
// to standard error, and the status is 1 when there are errors.
#include <relayopt/relayopt.h>

#include <cstdio>

auto main(int argc, char** argv) -> int {
  if (argc != 3) return 2;
  relayopt::Session session;
  std::optional<relayopt::Module> module = session.ReadFile(argv[1]);
  if (module && session.Run(*module, argv[2])) std::fputs(session.Print(*module).c_str(), stdout);
  for (const relayopt::DiagnosticRecord& message : session.diagnostics()) {
    std::fputs(ToText(message).c_str(), stderr);
  }
  return session.has_errors() ? 1 : 0;
}
