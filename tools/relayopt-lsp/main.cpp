// The language server: talks to an editor on standard input and output.
#include <cstring>
#include <iostream>

#include "relayopt/lsp/server.h"

auto main(int argc, char** argv) -> int {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::cout << "relayopt-lsp " RELAYOPT_VERSION "\n";
    return 0;
  }
  // Editors add --stdio, which is all there is.
  if (argc > 2 || (argc == 2 && std::strcmp(argv[1], "--stdio") != 0)) {
    std::cerr << "usage: relayopt-lsp [--stdio | --version]\n"
                 "A language server for Relay text and TVMScript; an editor starts it. See docs/editors.md.\n";
    return 1;
  }
  std::ios::sync_with_stdio(false);
  return relayopt::ServeStreams(std::cin, std::cout);
}
