// Tensors and running programs.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>

#include "bindings.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/eval/evaluator.h"
#include "relayopt/relay/eval/inputs.h"
#include "relayopt/relay/eval/tensor_file.h"

namespace relayopt::python {
namespace {

using graph::ModuleObj;
using object::TensorObj;

auto TensorOf(nb::handle value) -> TensorObj& {
  auto* const tensor = UnwrapAs<TensorObj>(value.ptr());
  if (tensor == nullptr) throw nb::type_error("an NDArray is expected");
  return *tensor;
}

auto DataTypeOf(const std::string& text) -> DataType {
  const auto dtype = ParseDataType(text);
  if (!dtype) throw nb::type_error(("unknown data type " + text).c_str());
  return *dtype;
}

// A tensor with a copy of these bytes, row-major: `data` is anything with a buffer.
auto MakeTensor(const std::string& dtype, std::vector<int64_t> shape, nb::handle data) -> nb::object {
  Py_buffer view;
  if (PyObject_GetBuffer(data.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
  const auto* const first = static_cast<const std::byte*>(view.buf);
  std::vector<std::byte> bytes(first, first + view.len);
  PyBuffer_Release(&view);
  int64_t elements = 1;
  for (const int64_t extent : shape) elements *= extent;
  const DataType type = DataTypeOf(dtype);
  if (static_cast<size_t>(elements) * type.bytes() != bytes.size()) {
    throw nb::value_error("the shape of a tensor fits its data");
  }
  return ToObject(object::Make<TensorObj>(Constant(type, std::move(shape), std::move(bytes))).get());
}

// [(name, tensor)] of what a reader of files has found.
auto NamedTensors(Result<std::vector<NamedTensor>> read) -> nb::list {
  nb::list all;
  for (const NamedTensor& each : OrThrow(std::move(read))) {
    const auto tensor = object::Make<TensorObj>(each.tensor.ToConstant());
    all.append(nb::make_tuple(Text(each.name), ToObject(tensor.get())));
  }
  return all;
}

// write_params([(name, tensor)]) -> bytes
auto WriteParamFile(const nb::list& given) -> nb::bytes {
  const std::string text = OrThrow(WriteParams(NamedTensorsOf(given)));
  return nb::bytes(text.data(), text.size());
}

// The elements as a read-only buffer.
struct Bytes {
  std::shared_ptr<const ElementBuffer> data;
};
auto GetBuffer(PyObject* self, Py_buffer* view, int flags) -> int {
  const auto& bytes = *nb::inst_ptr<Bytes>(self)->data;
  return PyBuffer_FillInfo(view, self, const_cast<std::byte*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size()), 1,
                           flags);
}
PyType_Slot g_bytes_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(&GetBuffer)}, {0, nullptr}};

// The elements for others, without a copy. Who takes them must not write: DLPack cannot say so before its version 1.
auto ToDlpack(nb::handle tensor) -> nb::object {
  const Constant& values = TensorOf(tensor).tensor;
  const auto bytes = values.Bytes();
  const nb::capsule owner(new Bytes{bytes}, [](void* held) noexcept { delete static_cast<Bytes*>(held); });
  const std::vector<size_t> shape(values.shape().begin(), values.shape().end());
  const DataType type = values.dtype();
  // As DLPack numbers them; types of one byte that it lacks are refused.
  const auto code = type == DataType::Bool() ? nb::dlpack::dtype_code::Bool
                                             : static_cast<nb::dlpack::dtype_code>(static_cast<uint8_t>(type.code));
  if (type.code == TypeCode::kHandle || type.code == TypeCode::kE4M3 || type.code == TypeCode::kE5M2) {
    throw nb::buffer_error(("DLPack has no data type " + ToString(type)).c_str());
  }
  const nb::dlpack::dtype dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(type.bytes() * 8), 1};
  const nb::ndarray<> array(const_cast<std::byte*>(bytes->data()), shape.size(), shape.data(), owner, nullptr, dtype);
  return nb::cast(array);
}

// A program ready to run: the evaluator keeps what it learned about its functions.
struct Program {
  Ref<ModuleObj> box;
  std::unique_ptr<Module> module;
  std::unique_ptr<Evaluator> evaluator;
  // An evaluator is for one thread at a time.
  std::mutex mutex;
};

// A function that a program has computed.
struct Closure {
  relayopt::Value value;
  const Program* program;
};

// Values from Python: arrays; tuples and lists of values; closures of the program; {"constructor": name, "fields":
// values} for algebraic data and {"fields": [value]} for references, which is what relayopt.relay.backend makes of its
// own objects.
auto ToValue(nb::handle given, const Program& program) -> relayopt::Value {
  const NestingGuard nesting;
  if (!nesting) throw nb::python_error();
  const Module& core = *program.module;
  if (auto* const tensor = UnwrapAs<TensorObj>(given.ptr())) return relayopt::Value(Tensor(tensor->tensor));
  if (nb::isinstance<nb::tuple>(given) || nb::isinstance<nb::list>(given)) {
    std::vector<relayopt::Value> fields;
    for (const nb::handle field : given) fields.push_back(ToValue(field, program));
    return relayopt::Value::Tuple(std::move(fields));
  }
  if (nb::isinstance<nb::dict>(given)) {
    const auto entry = nb::cast<nb::dict>(given);
    std::vector<relayopt::Value> fields;
    for (const nb::handle field : entry["fields"]) fields.push_back(ToValue(field, program));
    auto object = std::make_shared<ValueObject>(ValueKind::kRef);
    if (entry.contains("constructor")) {
      object = std::make_shared<ValueObject>(ValueKind::kData);
      const auto name = nb::cast<std::string>(entry["constructor"]);
      object->ctor = core.FindConstructor(core.context().Intern(name));
      if (!object->ctor) throw nb::value_error(("the module has no constructor " + name).c_str());
    }
    object->fields = std::move(fields);
    return relayopt::Value(std::move(object));
  }
  if (nb::isinstance<Closure>(given)) {
    const auto& closure = nb::cast<const Closure&>(given);
    if (closure.program != &program) throw nb::value_error("a function runs in the program that computed it");
    return closure.value;
  }
  throw nb::type_error("a value for the evaluator is an NDArray or a tuple of values");
}

// The reverse: NDArray, tuple, ("data", constructor, fields), ("ref", value), or ("closure", it, names of its
// parameters' data types). Deep lists are walked
// with a stack, as everything.
auto FromValue(const relayopt::Value& root, const Program& program) -> nb::object {
  const Module& core = *program.module;
  struct Frame {
    const relayopt::Value* value;
    nb::list fields;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  nb::object done;
  bool has_done = false;
  stack.push_back({&root, nb::list()});
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (has_done) {
      frame.fields.append(done);
      has_done = false;
    }
    const relayopt::Value& value = *frame.value;
    if (value.is_tensor()) {
      done = ToObject(object::Make<TensorObj>(value.tensor().ToConstant()).get());
    } else {
      const ValueObject& object = value.object();
      if (frame.next < object.fields.size() && object.kind != ValueKind::kClosure) {
        stack.push_back({&object.fields[frame.next++], nb::list()});
        continue;
      }
      switch (object.kind) {
        case ValueKind::kTuple: done = nb::make_tuple("tuple", frame.fields); break;
        case ValueKind::kData:
          done = nb::make_tuple("data", ToObject(program.box->lineage()->ConstructorOf(core, object.ctor).get()),
                                frame.fields);
          break;
        case ValueKind::kRef: done = nb::make_tuple("ref", frame.fields); break;
        case ValueKind::kConstructor:
          done =
              nb::make_tuple("constructor", ToObject(program.box->lineage()->ConstructorOf(core, object.ctor).get()));
          break;
        case ValueKind::kClosure: {
          nb::list dtypes;
          for (const TypeId id : Evaluator::ParamTypes(value)) {
            const bool is_tensor = id.has_value() && core.context().type(id).is_tensor();
            dtypes.append(nb::cast(is_tensor ? ToString(core.context().type(id).dtype) : std::string()));
          }
          done = nb::make_tuple("closure", nb::cast(Closure{value, &program}), dtypes);
          break;
        }
        default: done = nb::make_tuple("op"); break;
      }
    }
    has_done = true;
    stack.pop_back();
  }
  return done;
}

auto MakeProgram(nb::handle module) -> std::unique_ptr<Program> {
  auto program = std::make_unique<Program>();
  program->box = Ref<ModuleObj>(&ModuleOf(module));
  program->module = std::make_unique<Module>(OrThrow(program->box->Core()));
  program->evaluator = std::make_unique<Evaluator>(*program->module);
  return program;
}

auto ToValues(const nb::list& args, const Program& program) -> std::vector<relayopt::Value> {
  std::vector<relayopt::Value> values;
  for (const nb::handle arg : args) values.push_back(ToValue(arg, program));
  return values;
}

// The function of a name, and the arguments for it, which fit its parameters.
auto Prepare(const Program& program, const std::string& name, const nb::list& args)
    -> std::pair<GlobalId, std::vector<relayopt::Value>> {
  const GlobalId id = program.module->FindGlobal(name);
  if (!id || program.module->function(id) == nullptr) {
    throw nb::value_error(("the module has no function " + name).c_str());
  }
  std::vector<relayopt::Value> values = ToValues(args, program);
  const auto* const function = program.module->function<Function>(id);
  if (function != nullptr) {
    if (const auto error = CheckArguments(*function, name, values)) Throw(*error);
  }
  return {id, std::move(values)};
}

// Raises an error if the value does not fit the parameter of this number.
void CheckInput(const Program& program, const std::string& name, size_t index, nb::handle given) {
  const auto* const function = program.module->function<Function>(program.module->FindGlobal(name));
  if (function == nullptr || index >= function->params().size()) return;
  const ExprId param = function->params()[index];
  const Context& context = function->context();
  if (const auto misfit = Misfit(context, ParameterType(*function, param), ToValue(given, program))) {
    Throw(MakeDiagnostic(diag::kBadInput, {}, context.text(function->var(param).name), *misfit));
  }
}

// The result of a function of the evaluator for values of Python.
template <typename Call>
auto Evaluate(Program& program, std::vector<relayopt::Value> values, Call&& call) -> nb::object {
  std::optional<Result<relayopt::Value>> result;
  {
    const Unlocked unlocked;
    const std::lock_guard lock(program.mutex);
    result.emplace(call(*program.evaluator, std::move(values)));
  }
  return FromValue(OrThrow(std::move(*result)), program);
}

auto Run(Program& program, const std::string& name, const nb::list& args) -> nb::object {
  auto [id, values] = Prepare(program, name, args);
  return Evaluate(program, std::move(values), [id = id](Evaluator& evaluator, std::vector<relayopt::Value> given) {
    return evaluator.Call(id, std::move(given));
  });
}

auto Apply(Program& program, const Closure& closure, const nb::list& args) -> nb::object {
  std::vector<relayopt::Value> values = ToValues(args, program);
  const std::vector<TypeId> types = Evaluator::ParamTypes(closure.value);
  for (size_t i = 0; i < std::min(types.size(), values.size()); ++i) {
    if (const auto misfit = Misfit(program.module->context(), types[i], values[i])) {
      Throw(MakeDiagnostic(diag::kBadInput, {}, std::to_string(i), *misfit));
    }
  }
  return Evaluate(program, std::move(values), [&](Evaluator& evaluator, std::vector<relayopt::Value> given) {
    return evaluator.Apply(closure.value, std::move(given));
  });
}

// (seconds, [(operator, calls, seconds)]) of a run, what took longest first. It has an evaluator of its own.
auto Profile(Program& program, const std::string& name, const nb::list& args) -> nb::object {
  auto [id, values] = Prepare(program, name, args);
  Evaluator evaluator(*program.module);
  evaluator.StartProfile();
  std::optional<Result<relayopt::Value>> result;
  const auto start = std::chrono::steady_clock::now();
  {
    const Unlocked unlocked;
    result.emplace(evaluator.Call(id, std::move(values)));
  }
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
  static_cast<void>(OrThrow(std::move(*result)));
  std::vector<std::pair<std::string_view, OpProfile>> sorted(evaluator.profile()->begin(), evaluator.profile()->end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  nb::list rows;
  for (const auto& [op, of_op] : sorted) {
    rows.append(nb::make_tuple(Text(op), of_op.calls, std::chrono::duration<double>(of_op.time).count()));
  }
  return nb::make_tuple(whole.count(), rows);
}

}  // namespace

auto NamedTensorsOf(nb::handle pairs) -> std::vector<NamedTensor> {
  std::vector<NamedTensor> tensors;
  for (const nb::handle each : pairs) {
    tensors.push_back({nb::cast<std::string>(each[0]), Tensor(TensorOf(each[1]).tensor)});
  }
  return tensors;
}

void AddEvaluation(nb::module_& m) {
  nb::class_<Bytes>(m, "Bytes", nb::type_slots(g_bytes_slots));
  m.def("make_tensor", &MakeTensor);
  m.def("read_tensors", [](const nb::bytes& data) { return NamedTensors(ReadTensors({data.c_str(), data.size()})); });
  m.def("read_params", [](const nb::bytes& data) { return NamedTensors(ReadParams({data.c_str(), data.size()})); });
  m.def("write_params", &WriteParamFile);
  m.def("tensor_bytes", [](nb::handle tensor) { return Bytes{TensorOf(tensor).tensor.Bytes()}; });
  m.def("tensor_dlpack", &ToDlpack);
  m.def("tensor_dtype", [](nb::handle tensor) { return ToString(TensorOf(tensor).tensor.dtype()); });
  m.def("tensor_shape", [](nb::handle tensor) {
    const auto shape = TensorOf(tensor).tensor.shape();
    return nb::tuple(nb::cast(std::vector<int64_t>(shape.begin(), shape.end())));
  });
  // Constants that hold the elements keep the old ones.
  m.def("tensor_assign", [](nb::handle tensor, nb::handle from) { TensorOf(tensor).tensor = TensorOf(from).tensor; });
  nb::class_<Closure>(m, "Closure");
  nb::class_<Program>(m, "Program")
      .def("run", &Run)
      .def("apply", &Apply)
      .def("profile", &Profile)
      .def("check_input", &CheckInput);
  m.def("make_program", &MakeProgram);
}

}  // namespace relayopt::python
