// Random models: nodes of every operator with inputs and attributes that need not fit, and damage to what was written.
// Each is imported or refused with an error; the seeds are fixed.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "lib/convert/onnx/op_row.h"
#include "relayopt/convert/onnx/onnx.h"
#include "wire.h"

namespace relayopt::onnx {

namespace {

using wire::Block;
using wire::Number;

class RandomModel {
 public:
  explicit RandomModel(uint64_t seed) : random_(seed) {}

  // A node of the operator, its inputs inputs or weights of the graph.
  auto OfOperator(const OpRow& row) -> std::string {
    inputs_.clear();
    weights_.clear();
    const InputRange range = InputRangeOf(row);
    const size_t most = range.most == SIZE_MAX ? range.least + 4 : range.most;
    const size_t count = Chance(20) ? Pick(most + 2) : range.least + Pick(most - range.least + 1);
    std::string node;
    for (size_t i = 0; i < count; ++i) node += Block(1, Chance(10) ? "" : NewInput());
    std::string outputs;
    for (size_t i = 0; i <= Pick(3); ++i) {
      const std::string name = "y" + std::to_string(i);
      node += Block(2, name);
      outputs += Block(12, Block(1, name));
    }
    node += Block(4, row.name) + Block(7, row.domain) + Attributes(row);
    const std::string graph = Block(1, node) + Block(2, "graph") + weights_ + inputs_ + outputs;
    std::string opsets = Block(8, Number(2, Pick(22)));
    if (!row.domain.empty()) opsets += Block(8, Block(1, row.domain) + Number(2, 1));
    return Number(1, 8) + opsets + Block(7, graph);
  }

  // The bytes with some changed, left out or repeated.
  auto Damaged(std::string bytes) -> std::string {
    for (size_t i = 0; i <= Pick(3) && !bytes.empty(); ++i) {
      const size_t at = Pick(bytes.size());
      const size_t length = Pick(std::min<size_t>(bytes.size() - at, 16)) + 1;
      switch (Pick(5)) {
        case 0: bytes[at] = static_cast<char>(Pick(256)); break;
        case 1: bytes.erase(at, length); break;
        case 2: bytes.insert(at, bytes.substr(at, length)); break;
        case 3: bytes[at] = static_cast<char>(bytes[at] ^ (1 << Pick(8))); break;
        default: bytes.insert(at, wire::Varint(Extreme())); break;
      }
    }
    return bytes;
  }

 private:
  auto Pick(size_t count) -> size_t { return count == 0 ? 0 : static_cast<size_t>(random_() % count); }
  auto Chance(size_t percent) -> bool { return Pick(100) < percent; }
  auto Extreme() -> uint64_t {
    constexpr uint64_t kNumbers[] = {0,         1,          2,         127,        255,       1u << 20,
                                     INT32_MAX, 1ull << 40, INT64_MAX, 1ull << 63, UINT64_MAX};
    return kNumbers[Pick(std::size(kNumbers))];
  }
  auto SmallInt() -> int64_t { return Chance(3) ? static_cast<int64_t>(Extreme()) : static_cast<int64_t>(Pick(8)) - 3; }

  auto NewShape() -> std::vector<int64_t> {
    std::vector<int64_t> shape(Pick(6));
    for (int64_t& extent : shape) {
      extent = Chance(1) ? static_cast<int64_t>(Extreme() & INT64_MAX) : Chance(5) ? -1 : static_cast<int64_t>(Pick(5));
    }
    return shape;
  }

  // Weights are vectors and scalars of integers that may be axes, sizes or pads, or small tensors of floats.
  auto NewInput() -> std::string {
    const std::string name = "x" + std::to_string(names_++);
    constexpr uint64_t kTypes[] = {1, 1, 1, 7, 6, 9, 2, 3, 10, 11, 16, 17, 21, 22, 8};
    if (Chance(50)) {
      inputs_ += Block(11, wire::ValueInfo(name, kTypes[Pick(std::size(kTypes))], NewShape()));
      return name;
    }
    weights_ += Block(5, Block(8, name) + Tensor());
    return name;
  }

  auto Tensor() -> std::string {
    const bool is_int = Chance(60);
    std::vector<size_t> shape(is_int ? Pick(2) : Pick(5));
    size_t size = 1;
    for (size_t& extent : shape) size *= extent = Pick(5);
    std::string tensor;
    for (const size_t extent : shape) tensor += Number(1, extent);
    tensor += Number(2, is_int ? 7 : 1);
    for (size_t i = 0; i < size; ++i) {
      tensor += is_int ? Number(7, static_cast<uint64_t>(SmallInt())) : wire::Float(4, static_cast<float>(SmallInt()));
    }
    return tensor;
  }

  auto Attributes(const OpRow& row) -> std::string {
    std::string attributes;
    for (std::string_view rest = row.attributes; !rest.empty();) {
      const size_t end = std::min(rest.find(';'), rest.size());
      std::string_view declared = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      while (declared.starts_with(' ')) declared.remove_prefix(1);
      const std::string_view type = declared.substr(0, declared.find(' '));
      std::string_view name = declared.substr(std::min(type.size() + 1, declared.size()));
      name = name.substr(0, name.find(' '));
      if (Chance(60)) attributes += Block(5, Block(1, name) + Attribute(Chance(3) ? "int" : type));
    }
    return attributes;
  }

  auto Attribute(std::string_view type) -> std::string {
    if (type == "float") return wire::Float(2, AnyFloat()) + Number(20, 1);
    if (type == "string") return Block(4, Word()) + Number(20, 3);
    if (type == "tensor") return Block(5, Tensor()) + Number(20, 4);
    if (type == "graph") return Block(6, Body()) + Number(20, 5);
    std::string items;
    const size_t count = Pick(6);
    if (type == "floats") {
      for (size_t i = 0; i < count; ++i) items += wire::Float(7, AnyFloat());
      return items + Number(20, 6);
    }
    if (type == "ints") {
      for (size_t i = 0; i < count; ++i) items += Number(8, static_cast<uint64_t>(SmallInt()));
      return items + Number(20, 7);
    }
    if (type == "strings") {
      for (size_t i = 0; i < count; ++i) items += Block(9, Word());
      return items + Number(20, 8);
    }
    return Number(3, static_cast<uint64_t>(SmallInt())) + Number(20, 2);
  }

  auto AnyFloat() -> float {
    constexpr float kNumbers[] = {0, 1, -1, 0.5F, 3, 1e30F, -1e30F, 1e-30F, INFINITY, NAN};
    return kNumbers[Pick(std::size(kNumbers))];
  }

  auto Word() -> std::string {
    constexpr const char* kWords[] = {
        "nearest",    "linear",     "cubic",      "constant",      "reflect", "edge",          "wrap",  "sum",
        "mean",       "none",       "add",        "forward",       "reverse", "bidirectional", "Tanh",  "Sigmoid",
        "SAME_UPPER", "SAME_LOWER", "VALID",      "NOTSET",        "DCR",     "CRD",           "zeros", "border",
        "bilinear",   "half_pixel", "asymmetric", "align_corners", "tanh",    "TFIDF",         "L2",    "ij,jk->ik",
        "standard",   "size",       "",           "\n%\xff"};
    return kWords[Pick(std::size(kWords))];
  }

  // A graph that passes its inputs on, some of them through a node.
  auto Body() -> std::string {
    std::string graph;
    const size_t count = Pick(5);
    for (size_t i = 0; i < count; ++i) {
      const std::string name = "b" + std::to_string(i);
      graph += Block(11, Chance(50) ? Block(1, name) : wire::ValueInfo(name, 1, NewShape()));
      graph += Block(1, Block(1, name) + Block(2, "r" + name) + Block(4, Chance(50) ? "Identity" : "Neg"));
      graph += Block(12, Block(1, "r" + name));
    }
    return graph;
  }

  std::mt19937_64 random_;
  size_t names_ = 0;
  std::string inputs_;
  std::string weights_;
};

// Whether what came out is a module or an error, and not both or neither.
auto IsImportedOrRefused(const std::string& bytes) -> bool {
  DiagnosticSink sink;
  const bool imports = ImportOnnx(SourceText::FromString("test.onnx", bytes), {}, sink).has_value();
  return imports != sink.has_errors();
}

// The same for the name on every machine.
auto SeedOf(const OpRow& row) -> uint64_t {
  uint64_t seed = 0;
  for (const char c : row.name) seed = seed * 31 + static_cast<unsigned char>(c);
  return seed;
}

// Rounds for each operator; more of them in the environment for a longer search.
auto Rounds() -> uint64_t {
  const char* given = std::getenv("RELAYOPT_FUZZ_ROUNDS");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 8;
}

}  // namespace

TEST_CASE("nodes with random inputs and attributes are imported or errors", "[onnx]") {
  for (uint64_t seed = 0; seed < Rounds(); ++seed) {
    for (const auto& family : AllOpFamilies()) {
      for (const OpRow& row : family) {
        RandomModel random(seed * 1000003 + SeedOf(row));
        CAPTURE(row.name, seed);
        CHECK(IsImportedOrRefused(random.OfOperator(row)));
      }
    }
  }
}

TEST_CASE("random models with damaged bytes are imported or errors", "[onnx]") {
  for (uint64_t seed = 0; seed < Rounds(); ++seed) {
    for (const auto& family : AllOpFamilies()) {
      for (const OpRow& row : family) {
        RandomModel random(~(seed * 1000003 + SeedOf(row)));
        const std::string whole = random.OfOperator(row);
        CAPTURE(row.name, seed);
        CHECK(IsImportedOrRefused(random.Damaged(whole)));
      }
    }
  }
}

}  // namespace relayopt::onnx
