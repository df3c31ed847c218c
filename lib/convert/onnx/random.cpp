// Random numbers. Each operator has a key of its own from its seed; without one the key counts such operators, so that
// they differ from each other and an import can be repeated.
#include "builders.h"
#include "families.h"
#include "importer.h"
#include "shared.h"
#include "tensor_data.h"

namespace relayopt::onnx {

namespace {

// Returns the state of the generator: the seed, and a path that has not been taken.
auto KeyOfSeed(Node& n) -> ExprId {
  if (!n.Has("seed")) n.Warn("attribute 'seed' is missing: the same numbers come out of every import");
  const double given = n.Has("seed") ? n.Float("seed") : 0;
  // Beyond 64 bits the seed is that of the most negative number.
  const bool fits = given >= -0x1p63 && given < 0x1p63;
  const auto seed = !n.Has("seed") ? n.importer().NextSeed() : fits ? static_cast<int64_t>(given) : INT64_MIN;
  Tensor key(DataType::UInt(64), {10});
  uint64_t* words = key.mutable_data<uint64_t>();
  words[0] = static_cast<uint64_t>(seed);
  words[8] = uint64_t{1} << 63;
  return n.em().Const(key);
}

auto FloatType(Node& n, int32_t type) -> std::optional<DataType> {
  const auto dtype = RelayType(type);
  if (dtype && dtype->code == TypeCode::kFloat && dtype->bits >= 32) return dtype;
  n.Fail("random numbers are float32 or float64, not {}", ElementTypeName(type));
  return std::nullopt;
}

auto Draw(Node& n, const Ints& shape, int32_t type, bool is_normal) -> Results {
  Emitter& em = n.em();
  const auto dtype = FloatType(n, type);
  if (!dtype) return {};
  const ExprId key = KeyOfSeed(n);
  const ExprId first = em.Scalar(*dtype, n.Float(is_normal ? "mean" : "low"));
  const ExprId second = em.Scalar(*dtype, n.Float(is_normal ? "scale" : "high"));
  const OpDef* op = is_normal ? "random.normal"_op : "random.uniform"_op;
  return em.Get(em.Call(op, {key, first, second}, {{"out_shape", shape}, {"out_dtype", *dtype}}), 1);
}

auto TypeOfDraw(Node& n) -> int32_t { return n.Has("dtype") ? static_cast<int32_t>(n.Int("dtype")) : int32_t{kFloat}; }

auto ConvertRandom(Node& n) -> Results {
  const auto shape = n.IntList("shape");
  if (!shape) return n.Fail("attribute 'shape' is missing");
  return Draw(n, *shape, TypeOfDraw(n), n.row().name == "RandomNormal");
}

auto ConvertRandomLike(Node& n) -> Results {
  const auto shape = n.NeedShape(n.in(0), "input");
  if (!shape) return {};
  const int32_t type = n.Has("dtype") ? TypeOfDraw(n) : ElementTypeOf(n.em().dtype(n.in(0)));
  return Draw(n, *shape, type, n.row().name == "RandomNormalLike");
}

auto ConvertBernoulli(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const auto shape = n.NeedShape(x, "input");
  if (!shape) return {};
  const auto type = n.Has("dtype") ? RelayType(TypeOfDraw(n)) : em.dtype(x);
  if (!type) return n.Fail("attribute 'dtype' is not a type that Relay has");
  const bool is_half = em.dtype(x).bits < 32;
  const DataType compute = is_half ? DataType::Float(32) : em.dtype(x);
  const ExprId key = KeyOfSeed(n);
  const ExprId drawn = em.Call("random.uniform"_op, {key, em.Scalar(compute, 0.0), em.Scalar(compute, 1.0)},
                               {{"out_shape", *shape}, {"out_dtype", compute}});
  return Cast(em, Less(em, em.Get(drawn, 1), CastTo(em, x, compute)), *type);
}

auto ConvertMultinomial(Node& n) -> Results {
  Emitter& em = n.em();
  const auto type = n.Has("dtype") ? RelayType(TypeOfDraw(n)) : std::optional(DataType::Int(32));
  if (!type) return n.Fail("attribute 'dtype' is not a type that Relay has");
  if (!n.Elements({n.Int("sample_size")})) return {};
  // ONNX gives logarithms of what Relay takes.
  const ExprId weights = em.Call("exp"_op, {n.in(0)});
  const ExprId drawn =
      em.Call("random.multinomial"_op, {KeyOfSeed(n), weights}, {{"num_samples", n.Int("sample_size")}});
  return Cast(em, em.Get(drawn, 1), *type);
}

constexpr OpRow kRandomRows[] = {
    {"RandomUniform", "1", "", "int dtype; float low = 0; float high = 1; float seed; ints shape", ConvertRandom},
    {"RandomNormal", "1", "", "int dtype; float mean = 0; float scale = 1; float seed; ints shape", ConvertRandom},
    {"RandomUniformLike", "1", "input", "int dtype; float low = 0; float high = 1; float seed", ConvertRandomLike},
    {"RandomNormalLike", "1", "input", "int dtype; float mean = 0; float scale = 1; float seed", ConvertRandomLike},
    {"Bernoulli", "15", "input", "int dtype; float seed", ConvertBernoulli},
    {"Multinomial", "7", "input", "int dtype; int sample_size = 1; float seed", ConvertMultinomial},
};

}  // namespace

auto RandomRows() -> std::span<const OpRow> { return kRandomRows; }

}  // namespace relayopt::onnx
