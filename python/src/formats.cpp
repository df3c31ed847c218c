// Models of other systems as modules.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "relayopt/convert/onnx/onnx.h"
#include "relayopt/object/containers.h"

namespace relayopt::python {

using graph::ModuleObj;
using object::TensorObj;

void AddShapes(const nb::dict& given, OnnxOptions& options) {
  for (const auto& [name, shape] : given) {
    auto& [key, extents] = options.shapes.emplace_back();
    key = nb::cast<std::string>(name);
    for (const nb::handle extent : shape) {
      extents.push_back(extent.is_none() ? std::nullopt : std::optional(nb::cast<int64_t>(extent)));
    }
  }
}

void AddDataTypes(const nb::dict& given, OnnxOptions& options) {
  for (const auto& [name, dtype] : given) {
    const auto text = nb::cast<std::string>(dtype);
    const auto type = ParseDataType(text);
    if (!type) throw nb::value_error(("'" + text + "' is not a data type").c_str());
    options.dtypes.emplace_back(nb::cast<std::string>(name), *type);
  }
}

namespace {

// (module, {name: tensor}) of a serialized ONNX model; the tensors are the weights, unless they were frozen.
auto ImportOnnxModel(nb::bytes model, const std::string& name, const nb::dict& shapes, const nb::dict& dtypes,
                     std::optional<int64_t> opset, bool freeze_params, bool transposed_batch_matmul) -> nb::object {
  const auto lineage = std::make_shared<graph::Lineage>(std::make_shared<Context>());
  OnnxOptions options;
  options.opset = opset;
  options.freeze_params = freeze_params;
  options.transposed_batch_matmul = transposed_batch_matmul;
  options.context = lineage->shared_context();
  AddShapes(shapes, options);
  AddDataTypes(dtypes, options);
  const auto source = SourceText::FromString(name, std::string(model.c_str(), model.size()));
  DiagnosticSink sink;
  std::optional<OnnxModule> imported;
  {
    const Unlocked unlocked;
    imported = ImportOnnx(source, options, sink);
  }
  if (!imported) Throw(sink, source.get());
  nb::dict params;
  for (const NamedTensor& param : imported->params) {
    params[nb::str(param.name.c_str(), param.name.size())] =
        ToObject(object::Make<TensorObj>(param.tensor.ToConstant()).get());
  }
  return nb::make_tuple(ToObject(ModuleObj::FromCore(lineage, std::move(imported->module), nullptr).get()), params);
}

}  // namespace

void AddFormats(nb::module_& m) {
  m.def("import_onnx", &ImportOnnxModel, nb::arg("model"), nb::arg("name"), nb::arg("shapes"), nb::arg("dtypes"),
        nb::arg("opset").none(), nb::arg("freeze_params"), nb::arg("transposed_batch_matmul"));
}

}  // namespace relayopt::python
