// Tensors that options name.
#include "tensor_files.h"

#include "relayopt/support/source.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kCannotReadTensors = {"cannot-read-tensors", Severity::kError, "cannot read '{}': {}"};

}  // namespace

auto ReadTensorFile(const std::string& path) -> Result<std::vector<NamedTensor>> {
  std::string error;
  const auto source = SourceText::Open(path, error);
  if (source == nullptr) return MakeDiagnostic(kCannotReadTensors, {}, path, error);
  auto tensors = ReadTensors(source->text());
  if (!tensors) return MakeDiagnostic(kCannotReadTensors, {}, path, tensors.error().text);
  return tensors;
}

}  // namespace relayopt
