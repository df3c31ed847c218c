// Derives how packed functions take their arguments.
//
// tir.MakePackedAPI writes that into the function, and the passes after it leave it there:
//
//   A: T.handle = T.tvm_struct_get(args, 0, 12, "handle")               argument 0 is A,
//   A_1: T.handle("float32") = T.tvm_struct_get(A, 0, 1, "handle")      a tensor whose data are A_1,
//   assert T.tvm_struct_get(A, 0, 5, "uint8") == T.uint8(2) and ...     of this type,
//   assert 1 == T.tvm_struct_get(A, 0, 10, "int32")                     on this device,
//   A_2 = T.decl_buffer((n, 4), data=A_1)                               with the shape of this buffer
#include "lib/tir/eval/packed.h"

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

namespace {

constexpr int64_t kMostArgs = int64_t{1} << 16;

class SignatureReader {
 public:
  explicit SignatureReader(const PrimFunc& func)
      : func_(func), terms_(func.terms()), struct_get_(func.terms().Intrinsic("tir.tvm_struct_get"_intrin)) {}

  auto Run() -> PackedSignature {
    // Outer statements come last.
    for (uint32_t id = static_cast<uint32_t>(func_.size()); id-- > 0;) Read(func_.stmt(StmtId(id)));
    if (signature_.num_args > 0 && signature_.num_args <= kMostArgs) ArgAt(signature_.num_args - 1);
    for (const auto& [position, code] : codes_) {
      if (position < static_cast<int64_t>(signature_.args.size())) ArgAt(position).code = code;
    }
    for (const auto& [data, buffer] : buffers_) {
      for (PackedArg& arg : signature_.args) {
        if (arg.data == data) arg.buffer = buffer;
      }
    }
    return std::move(signature_);
  }

 private:
  void Read(Stmt stmt) {
    if (const auto let = stmt.As<LetStmt>()) {
      PrimExpr value = let->value();
      if (terms_.kind(value) == PrimKind::kCast) value = terms_.operand(value, 0);
      ReadLet(let->var(), value);
    } else if (stmt.kind() == StmtKind::kAssert) {
      ReadCondition(stmt.expr(0));
    } else if (const auto declaration = stmt.As<DeclBuffer>()) {
      // Of several declarations for the same data, the outermost one belongs to the parameter.
      buffers_.try_emplace(func_.tables().buffer(declaration->buffer()).data, declaration->buffer());
    }
  }

  void ReadLet(PrimExpr var, PrimExpr value) {
    if (IsField(value, func_.params()[kArgs], StructField::kValue)) {
      const auto index = terms_.AsInt(terms_.operand(value, 1));
      if (!index || *index < 0 || *index > kMostArgs) return;
      ArgAt(*index).var = var;
      positions_[var] = static_cast<size_t>(*index);
    } else if (terms_.kind(value) == PrimKind::kBufferLoad && terms_.num_operands(value) == 1 &&
               func_.tables().buffer(terms_.buffer(value)).data == func_.params()[kArgCodes]) {
      if (const auto index = terms_.AsInt(terms_.operand(value, 0))) code_vars_[var] = *index;
    } else if (PackedArg* arg = ArgOf(value, StructField::kData)) {
      arg->data = var;
    }
  }

  // Handles conjunctions, equations and type checks.
  void ReadCondition(PrimExpr condition) {
    std::vector<PrimExpr> open = {condition};
    while (!open.empty()) {
      const PrimExpr term = open.back();
      open.pop_back();
      if (terms_.kind(term) == PrimKind::kAnd) {
        open.push_back(terms_.operand(term, 0));
        open.push_back(terms_.operand(term, 1));
      } else if (terms_.kind(term) == PrimKind::kEQ) {
        ReadEquation(terms_.operand(term, 0), terms_.operand(term, 1));
      } else if (terms_.kind(term) == PrimKind::kOr) {
        ReadChoice(term);
      }
    }
  }

  // Any of the type codes that an argument may have is accepted (pointers have several).
  void ReadChoice(PrimExpr choice) {
    while (terms_.kind(choice) == PrimKind::kOr) choice = terms_.operand(choice, 0);
    if (terms_.kind(choice) == PrimKind::kEQ) ReadCode(terms_.operand(choice, 0), terms_.operand(choice, 1));
  }

  void ReadCode(PrimExpr var, PrimExpr number) {
    if (terms_.AsInt(var)) std::swap(var, number);
    const auto position = code_vars_.find(var);
    const auto code = terms_.AsInt(number);
    if (position != code_vars_.end() && code) codes_[position->second] = static_cast<int>(*code);
  }

  void ReadEquation(PrimExpr a, PrimExpr b) {
    if (terms_.AsInt(a)) std::swap(a, b);
    const auto number = terms_.AsInt(b);
    if (!number) return;
    if (a == func_.params()[kNumArgs]) signature_.num_args = *number;
    ReadCode(a, b);
    if (PackedArg* arg = ArgOf(a, StructField::kTypeCode)) arg->dtype.code = static_cast<TypeCode>(*number);
    if (PackedArg* arg = ArgOf(a, StructField::kTypeBits)) arg->dtype.bits = static_cast<uint8_t>(*number);
    if (PackedArg* arg = ArgOf(a, StructField::kTypeLanes)) arg->dtype.lanes = static_cast<uint16_t>(*number);
    if (ArgOf(a, StructField::kDeviceType) != nullptr) signature_.device_type = *number;
  }

  auto ArgAt(int64_t position) -> PackedArg& {
    const auto at = static_cast<size_t>(position);
    if (signature_.args.size() <= at) signature_.args.resize(at + 1);
    return signature_.args[at];
  }

  auto IsField(PrimExpr value, PrimExpr structs, StructField field) const -> bool {
    return terms_.IsCall(value, struct_get_) && terms_.num_operands(value) == 3 &&
           terms_.operand(value, 0) == structs && terms_.IsInt(terms_.operand(value, 2), static_cast<int64_t>(field));
  }

  // Returns the argument whose DLTensor contains this field.
  auto ArgOf(PrimExpr value, StructField field) -> PackedArg* {
    if (terms_.kind(value) != PrimKind::kCall || terms_.num_operands(value) != 3) return nullptr;
    const auto position = positions_.find(terms_.operand(value, 0));
    if (position == positions_.end() || !IsField(value, position->first, field)) return nullptr;
    return &signature_.args[position->second];
  }

  const PrimFunc& func_;
  const Terms& terms_;
  arith::CallOpId struct_get_;
  PackedSignature signature_;
  absl::flat_hash_map<PrimExpr, size_t> positions_;
  // Variables that hold type codes, with their positions and the required codes.
  absl::flat_hash_map<PrimExpr, int64_t> code_vars_;
  absl::flat_hash_map<int64_t, int> codes_;
  absl::flat_hash_map<PrimExpr, BufferId> buffers_;
};

}  // namespace

auto PlaceOfField(uint32_t field) -> std::optional<FieldPlace> {
  switch (static_cast<StructField>(field)) {
    case StructField::kAddress: return FieldPlace{0, 0, kTensorBytes};
    case StructField::kData: return FieldPlace{0, 8, kTensorBytes};
    case StructField::kDeviceType: return FieldPlace{8, 4, kTensorBytes};
    case StructField::kDeviceId: return FieldPlace{12, 4, kTensorBytes};
    case StructField::kNdim: return FieldPlace{16, 4, kTensorBytes};
    case StructField::kTypeCode: return FieldPlace{20, 1, kTensorBytes};
    case StructField::kTypeBits: return FieldPlace{21, 1, kTensorBytes};
    case StructField::kTypeLanes: return FieldPlace{22, 2, kTensorBytes};
    case StructField::kShape: return FieldPlace{24, 8, kTensorBytes};
    case StructField::kStrides: return FieldPlace{32, 8, kTensorBytes};
    case StructField::kByteOffset: return FieldPlace{40, 8, kTensorBytes};
    case StructField::kValue: return FieldPlace{0, kValueBytes, kValueBytes};
    default: return std::nullopt;
  }
}

auto ReadPackedSignature(const PrimFunc& func) -> std::optional<PackedSignature> {
  if (func.IntAttr("calling_conv") != kPackedConvention || func.params().size() != kNumPackedParams)
    return std::nullopt;
  return SignatureReader(func).Run();
}

}  // namespace relayopt::tir
