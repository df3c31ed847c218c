// The entry points of libFuzzer. The first word of the command line names the target; the others are libFuzzer's.
//
//   relayopt_fuzz TARGET [OPTIONS] [FOLDERS]
//   relayopt_fuzz TARGET --make-seeds FOLDER TESTS...    writes inputs made from tests into the folder
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "relayopt/driver/session.h"
#include "targets.h"

namespace relayopt::fuzz {

namespace {

const Target* g_target = nullptr;

// Larger inputs teach nothing that small ones do not, and cost more.
constexpr size_t kLargestSeed = 6000;

[[noreturn]] void MakeSeeds(const Target& target, int argc, char** argv) {
  size_t made = 0;
  for (int i = 4; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    for (const std::string& seed : target.seeds(argv[i], text.str())) {
      if (seed.empty() || seed.size() > kLargestSeed) continue;
      std::ofstream(std::string(argv[3]) + "/" + std::to_string(std::hash<std::string>()(seed)), std::ios::binary)
          << seed;
      ++made;
    }
  }
  std::printf("%s: %zu seeds\n", std::string(target.name).c_str(), made);
  std::exit(0);
}

auto Mutated(const std::string& bytes, uint8_t* data, size_t max_size) -> size_t {
  const size_t size = std::min(bytes.size(), max_size);
  std::memcpy(data, bytes.data(), size);
  return size;
}

}  // namespace

}  // namespace relayopt::fuzz

using namespace relayopt::fuzz;

extern "C" auto LLVMFuzzerInitialize(int* argc, char*** argv) -> int {
  const std::string_view name = *argc > 1 ? (*argv)[1] : "";
  for (const Target& target : Targets()) {
    if (target.name == name) g_target = &target;
  }
  if (g_target == nullptr) {
    std::fprintf(stderr, "relayopt_fuzz: the first word is one of these targets:\n");
    for (const Target& target : Targets())
      std::fprintf(stderr, "  %-12s %s\n", std::string(target.name).c_str(), std::string(target.about).c_str());
    std::exit(1);
  }
  relayopt::RegisterBuiltins();
  if (*argc > 4 && std::string_view((*argv)[2]) == "--make-seeds") MakeSeeds(*g_target, *argc, *argv);
  // libFuzzer would take the name for a folder.
  std::rotate(*argv + 1, *argv + 2, *argv + *argc);
  --*argc;
  return 0;
}

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  g_target->run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

extern "C" auto LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) -> size_t {
  Random random(seed);
  std::string bytes(reinterpret_cast<char*>(data), size);
  // A few changes at once, seldom more.
  do bytes = g_target->form->mutate(bytes, random);
  while (random() % 3 == 0);
  return Mutated(bytes, data, max_size);
}

extern "C" auto LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1, const uint8_t* data2, size_t size2,
                                          uint8_t* out, size_t max_size, unsigned seed) -> size_t {
  Random random(seed);
  const std::string into(reinterpret_cast<const char*>(data1), size1);
  const std::string from(reinterpret_cast<const char*>(data2), size2);
  if (into.empty() || from.empty()) return 0;
  return Mutated(g_target->form->splice(into, from, random), out, max_size);
}
