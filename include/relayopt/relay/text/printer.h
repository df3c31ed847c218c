// Writes Relay text, byte for byte as the reference does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Receives output in pieces, in order.
class TextSink {
 public:
  virtual void Write(std::string_view text) = 0;

 protected:
  ~TextSink() = default;
};

// A sink that collects a string.
class StringSink final : public TextSink {
 public:
  void Write(std::string_view text) override { text_ += text; }
  auto text() -> std::string& { return text_; }

 private:
  std::string text_;
};

enum class MetadataPrinting : uint8_t {
  kSection,  // the `#[metadata]` section at the end
  kOmitted,  // a comment that says it was left out; attribute values print as the reference prints them then
  kSilent,   // left out without a word
};

struct PrintOptions {
  // `ty=` in the comments after expressions.
  bool types = true;
  // `span=` in them: positions in the original model.
  bool spans = false;
  MetadataPrinting metadata = MetadataPrinting::kSection;
  // Constants of the metadata section with more elements than this are left out, whatever they hold: a placeholder with
  // their type stands there. Such a text cannot be read back, and starts with a comment that says so.
  std::optional<uint64_t> elide_constants_if_larger = {};
};

// The text of a module. Memory beyond the module itself stays small: text goes to the sink as it is made, except where
// constants are left out, which makes it short.
void PrintModule(const Module& module, const PrintOptions& options, TextSink& sink);
auto PrintModule(const Module& module, const PrintOptions& options = {}) -> std::string;

// The text of one function of a module, as a module of its own without type definitions (for print-IR instruments).
auto PrintFunction(const Module& module, GlobalId function, const PrintOptions& options = {}) -> std::string;

// A type as text, for diagnostics: incomplete types and symbolic dimensions print as `?` and by name instead of as
// metadata.
auto TypeToString(const Context& context, TypeId type) -> std::string;

// A floating-point literal's digits without suffix: the reference's six significant digits where they bring back the
// same value, else the fewest digits that do. `bits` is 16, 32 or 64. NaN is `nan`, infinities are `inf` and `-inf`.
auto FloatDigits(double value, int bits) -> std::string;

}  // namespace relayopt
