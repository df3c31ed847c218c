#include "targets.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "lib/driver/options.h"
#include "relayopt/driver/session.h"
#include "relayopt/module/functions.h"
#include "relayopt/pass/growth.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/tir/eval/arguments.h"
#include "relayopt/tir/eval/evaluator.h"

namespace relayopt::fuzz {

namespace {

// What an evaluation may cost.
constexpr uint64_t kMaxSteps = 20'000;
constexpr size_t kMaxBytes = size_t{1} << 22;

[[noreturn]] void Fail(const std::string& what, const std::string& details) {
  std::fprintf(stderr, "fuzz: %s\n%s\n", what.c_str(), details.c_str());
  std::abort();
}

// The same number for the same input, which decides what is done with it.
auto HashOf(const std::string& input) -> uint64_t {
  uint64_t hash = 14695981039346656037u;
  for (const char c : input) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash ^ hash >> 29;
}

auto MakeSession() -> Session {
  SessionOptions options;
  options.context.config[std::string(kMaxOpsKey)] = int64_t{20'000};
  return Session(std::move(options));
}

// Messages are text, whatever the input holds.
void CheckMessages(Session& session) {
  for (const DiagnosticRecord& record : session.TakeDiagnostics()) {
    const std::string text = ToText(record);
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
        Fail("a message holds a control character", text);
    }
  }
}

// What is printed reads as a module that prints the same. The first rounds settle annotations, and extents that meet
// `?`.
void CheckRoundTrip(const std::string& name, std::string text) {
  for (int i = 0; i < 4; ++i) {
    Session session = MakeSession();
    const auto module = session.Read(name, text);
    if (!module) {
      const auto messages = session.TakeDiagnostics();
      const auto error = std::ranges::find(messages, Severity::kError, &DiagnosticRecord::severity);
      // A `?` that took the place of an extent may leave a program without types. As TVM: buffers that are declared
      // above their memory, launches of one dimension with several extents, and types of loads from textures are
      // printed in a way that is not read.
      const std::string id = error == messages.end() ? "" : error->id;
      const bool is_as_tvm = id == "script-undefined" || id == "script-redefined" || id == "script-thread-extents" ||
                             text.find("T.texture2d_load") != std::string::npos;
      if (i != 0 || is_as_tvm || text.find('?') != std::string::npos) return;
      Fail("what was printed cannot be read", (error == messages.end() ? "" : ToText(*error)) + "\n" + text);
    }
    const std::string again = session.Print(*module);
    if (again == text) return;
    text = again;
  }
  // As TVM: bounds of loops that begin late are printed in one way and read in another.
  if (name.ends_with(".relay")) Fail("what was read prints as something else each time", text);
}

void Evaluate(const Module& module) {
  const auto relay = module.SortedFunctions<Function>();
  if (!relay.empty()) {
    EvaluationLimits limits;
    limits.max_steps = kMaxSteps;
    limits.kernels.max_tensor_bytes = kMaxBytes;
    Evaluator evaluator(module, limits);
    auto arguments = MakeArguments(*module.function<Function>(relay.front()), {}, {});
    if (arguments) static_cast<void>(evaluator.Call(relay.front(), *std::move(arguments)));
  }
  const auto programs = module.SortedFunctions<tir::PrimFunc>();
  if (!programs.empty()) {
    tir::EvaluationLimits limits;
    limits.max_steps = kMaxSteps;
    limits.max_bytes = kMaxBytes;
    tir::Evaluator evaluator(module, limits);
    const auto arguments = tir::MakeArguments(evaluator, programs.front(), {}, {});
    if (arguments) static_cast<void>(evaluator.Call(programs.front(), *arguments));
  }
}

// The text of a pass or a named pipeline.
auto DrawPipeline(uint64_t hash, bool is_tir) -> std::string {
  static const auto names = [] {
    std::vector<std::string> all[2];
    for (const PassDef* def : AllPasses()) {
      if (!def->hidden) all[def->name.starts_with("tir.") ? 1 : 0].emplace_back(def->name);
    }
    for (const NamedPipeline* named : NamedPipelines()) {
      all[named->name.starts_with("tir") ? 1 : 0].push_back("default<" + std::string(named->name) + ">");
    }
    return std::vector(std::begin(all), std::end(all));
  }();
  const auto& of_kind = names[is_tir ? 1 : 0];
  return of_kind[hash % of_kind.size()];
}

// Everything that can be done with a module: it is printed and read, evaluated, sent through a pass, written in some
// format.
void Exercise(const std::string& name, const std::string& input) {
  const uint64_t hash = HashOf(input);
  Session session = MakeSession();
  std::optional<Module> module = session.Read(name, input);
  CheckMessages(session);
  if (!module) return;
  const bool is_tir = module->SortedFunctions<Function>().empty();
  const std::string again = is_tir ? "printed.py" : "printed.relay";
  CheckRoundTrip(again, session.Print(*module));
  if (hash % 4 == 0) Evaluate(*module);
  constexpr std::string_view kFormats[] = {"text", "text", "onnx", "bin", "relax", "tvm-json"};
  static_cast<void>(session.Run(*module, DrawPipeline(hash / 4, is_tir)));
  CheckMessages(session);
  static_cast<void>(session.Print(*module, kFormats[hash / 1024 % std::size(kFormats)]));
  CheckMessages(session);
}

template <const char* kName>
void RunModule(const std::string& input) {
  Exercise(kName, input);
}

// Where the metadata of constants begins.
constexpr std::string_view kMetadata = "#[metadata]\n";

void RunMetadata(const std::string& input) {
  Exercise("fuzz.relay",
           "#[version = \"0.0.5\"]\ndef @main() {\n  (meta[relay.Constant][0], meta[relay.Constant][1], "
           "meta[relay.Constant][2])\n}\n" +
               std::string(kMetadata) + input);
}

void RunTensors(const std::string& input) {
  auto tensors = ReadTensors(input);
  if (!tensors) return;
  for (const TensorFormat& format : TensorFormats()) {
    const auto written = format.write(*tensors);
    if (!written) continue;
    const auto read = format.read(*written);
    if (!read) Fail("what was written cannot be read", read.error().text);
    if (read->size() != tensors->size()) Fail("tensors are lost", std::string(format.name));
  }
}

void RunPipeline(const std::string& input) {
  const auto pipeline = ParsePipeline(input);
  if (!pipeline) return;
  const std::string text = ToString(*pipeline);
  const auto again = ParsePipeline(text);
  if (!again) Fail("the canonical pipeline cannot be read", text + "\n" + again.error().text);
  if (ToString(*again) != text) Fail("the canonical pipeline is not canonical", text + "\n" + ToString(*again));
  const auto pass = BuildPipeline(*pipeline);
  if (!pass) return;
  Session session = MakeSession();
  auto module = session.Read("fuzz.relay",
                             "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(2, 3), float32]) { nn.relu(add(%x, %x)) }");
  static_cast<void>(session.Run(*module, input));
  CheckMessages(session);
}

void RunOptions(const std::string& input) {
  std::vector<std::string> words(1);
  for (const char c : input) {
    if (c == '\n')
      words.emplace_back();
    else if (c != '\0')
      words.back() += c;
  }
  std::vector<char*> pointers;
  for (std::string& word : words) {
    // No files of words.
    if (word.starts_with('@')) word[0] = '#';
    pointers.push_back(word.data());
  }
  ToolOptions options;
  static_cast<void>(ParseWords(pointers, options));
}

// --- Seeds ---

using Seeds = std::vector<std::string>;

// Returns a test without its lines for lit and FileCheck.
auto WithoutChecks(const std::string& test) -> std::string {
  std::string text;
  for (size_t at = 0; at < test.size();) {
    const size_t end = std::min(test.find('\n', at), test.size() - 1) + 1;
    const std::string line = test.substr(at, end - at);
    at = end;
    if (!line.starts_with("//") && !line.starts_with("# ")) text += line;
  }
  return text;
}

template <bool kIsScript>
auto TextSeeds(const std::string& path, const std::string& test) -> Seeds {
  return path.ends_with(kIsScript ? ".py" : ".relay") ? Seeds{WithoutChecks(test)} : Seeds();
}

auto ReadTest(Session& session, const std::string& path, const std::string& test) -> std::optional<Module> {
  if (!path.ends_with(".relay")) return std::nullopt;
  return session.Read("test.relay", WithoutChecks(test));
}

template <const char* kFormat>
auto WrittenSeeds(const std::string& path, const std::string& test) -> Seeds {
  Session session = MakeSession();
  const auto module = ReadTest(session, path, test);
  const std::string written = module ? session.Print(*module, kFormat) : "";
  return written.empty() ? Seeds() : Seeds{written};
}

auto MetadataSeeds(const std::string& path, const std::string& test) -> Seeds {
  const std::string text = WithoutChecks(test);
  const size_t at = text.find(kMetadata);
  if (!path.ends_with(".relay") || at == std::string::npos) return {};
  return {text.substr(at + kMetadata.size())};
}

template <auto kWrite>
auto TensorSeeds(const std::string& path, const std::string& test) -> Seeds {
  Session session = MakeSession();
  const auto module = ReadTest(session, path, test);
  const GlobalId main = module ? module->FindGlobal("main") : GlobalId();
  if (!main || module->function<Function>(main) == nullptr) return {};
  const auto arguments = MakeArguments(*module->function<Function>(main), {}, {});
  std::vector<Tensor> tensors;
  size_t bytes = 0;
  std::vector<NamedTensor> named;
  for (size_t i = 0; arguments && i < arguments->size(); ++i) FlattenTensors((*arguments)[i], tensors);
  for (const Tensor& tensor : tensors) {
    bytes += tensor.bytes().size();
    named.push_back({"p" + std::to_string(named.size()), tensor});
  }
  if (named.empty() || bytes > 1024) return {};
  const auto written = kWrite(named);
  return written ? Seeds{*written} : Seeds();
}

// Returns what follows `before` on lines with RUN, up to a quote or, if it does not begin with one, a space.
auto WordsAfter(const std::string& test, std::string_view before) -> Seeds {
  Seeds words;
  for (size_t at = test.find(before); at != std::string::npos; at = test.find(before, at + 1)) {
    size_t begin = at + before.size();
    const char quote = begin < test.size() && (test[begin] == '\'' || test[begin] == '"') ? test[begin++] : ' ';
    words.push_back(test.substr(begin, test.find_first_of({quote, '\n'}, begin) - begin));
  }
  return words;
}

auto PipelineSeeds(const std::string&, const std::string& test) -> Seeds { return WordsAfter(test, "--passes="); }

auto OptionSeeds(const std::string&, const std::string& test) -> Seeds {
  Seeds seeds;
  for (size_t at = test.find("%relayopt "); at != std::string::npos; at = test.find("%relayopt ", at + 1)) {
    std::string words = test.substr(at + 10, test.find_first_of("|\n", at) - at - 10);
    std::ranges::replace(words, ' ', '\n');
    seeds.push_back(words);
  }
  return seeds;
}

constexpr char kRelayFile[] = "fuzz.relay";
constexpr char kScriptFile[] = "fuzz.py";
constexpr char kOnnxFile[] = "fuzz.onnx";
constexpr char kJsonFile[] = "fuzz.json";
constexpr char kBinaryFile[] = "fuzz.rlyb";
constexpr char kOnnx[] = "onnx";
constexpr char kJson[] = "tvm-json";
constexpr char kBin[] = "bin";

constexpr Target kTargets[] = {
    {"relay", "Relay text", &kText, RunModule<kRelayFile>, TextSeeds<false>},
    {"script", "TVMScript", &kText, RunModule<kScriptFile>, TextSeeds<true>},
    {"onnx", "ONNX models", &kProtobuf, RunModule<kOnnxFile>, WrittenSeeds<kOnnx>},
    {"json", "modules as TVM's JSON", &kText, RunModule<kJsonFile>, WrittenSeeds<kJson>},
    {"binary", "modules in relayopt's binary form", &kBinary, RunModule<kBinaryFile>, WrittenSeeds<kBin>},
    {"metadata", "the metadata after Relay text", &kText, RunMetadata, MetadataSeeds},
    {"npz", "archives of NumPy arrays", &kArchive, RunTensors, TensorSeeds<WriteNpz>},
    {"safetensors", "files of tensors", &kText, RunTensors, TensorSeeds<WriteSafetensors>},
    {"params", "TVM's parameter files", &kBytes, RunTensors, TensorSeeds<WriteParams>},
    {"pipeline", "pipelines, as --passes has them", &kText, RunPipeline, PipelineSeeds},
    {"options", "the words of a command line, one a line", &kText, RunOptions, OptionSeeds},
};

}  // namespace

auto Targets() -> std::span<const Target> { return kTargets; }

}  // namespace relayopt::fuzz
