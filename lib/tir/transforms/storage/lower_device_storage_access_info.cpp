// LowerDeviceStorageAccessInfo: pointers into memory become addresses, and memory with a tag of its own is not
// allocated.
//
//   T.evaluate(T.call_extern("int32", "f", T.tvm_access_ptr(T.type_annotation("float32"), A, 4, 8, 1)))
//   ->
//   A_1 = T.Buffer((5,), data=A)
//   T.evaluate(T.call_extern("int32", "f", T.address_of(A_1[4])))
//
// An allocation in a memory like `local.vtcm` becomes the address where that memory begins; one in a memory without
// addresses disappears, and pointers into it count its units.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/address_of.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/tir/analysis/storage_scope.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kUnknownMemory{"storage-memory", Severity::kError, "the memory {} is unknown"};
constexpr DiagnosticKind kTaggedTwice{"storage-twice", Severity::kError, "{} is allocated twice"};
constexpr DiagnosticKind kNoAddress{"storage-address", Severity::kError, "{} lies in a memory without addresses"};
constexpr DiagnosticKind kUnits{"storage-units", Severity::kError,
                                "elements of {} bits do not divide the {} bits of a unit of {}"};
constexpr DiagnosticKind kPointerForm{"storage-pointer", Severity::kError,
                                      "T.tvm_access_ptr needs a type, a variable, offset, extent and mask"};

class StorageAccessLowerer : public Rewriter {
 public:
  explicit StorageAccessLowerer(const PrimFunc& func) : Rewriter(func), analyzer_(terms()) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    at_ = stmt.range();
    if (const auto alloc = stmt.As<Allocate>()) EnterAllocate(*alloc);
    // Memory that cannot be allocated cannot be declared either.
    const auto decl = stmt.As<DeclBuffer>();
    const MemoryInfo* memory = decl ? MemoryOf(tables().buffer(decl->buffer()).data) : nullptr;
    return memory != nullptr && !memory->head_address ? Descent::Instead(decl->body()) : Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto alloc = stmt.As<Allocate>();
    const MemoryInfo* memory = alloc ? MemoryOf(alloc->buffer_var()) : nullptr;
    if (memory == nullptr) return Rewriter::Leave(stmt, parts);
    if (!memory->head_address) return parts.stmts[0];
    return builder().Let(alloc->buffer_var(), HandleOf(terms(), *memory->head_address), parts.stmts[0]);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = Rewriter::RewriteNode(old, made);
    return terms().IsCall(made, access_ptr_) ? Pointer(made) : made;
  }

 private:
  auto NameOf(PrimExpr var) const -> std::string_view { return context().text(terms().var(var).name); }
  auto MemoryOf(PrimExpr var) const -> const MemoryInfo* {
    const auto found = memories_.find(var);
    return found == memories_.end() ? nullptr : found->second;
  }

  void EnterAllocate(const Allocate& alloc) {
    const std::string_view text = ScopeOf(terms(), context(), alloc.buffer_var());
    const auto scope = ParseStorageScope(text);
    if (!scope || scope->tag.empty() || scope->tag == ".dyn") return;
    const MemoryInfo* memory = FindMemoryInfo(text);
    if (memory == nullptr) return Fail(MakeDiagnostic(kUnknownMemory, alloc.range(), text));
    if (!memories_.emplace(alloc.buffer_var(), memory).second) {
      Fail(MakeDiagnostic(kTaggedTwice, alloc.range(), NameOf(alloc.buffer_var())));
    }
  }

  auto Pointer(PrimExpr call) -> PrimExpr {
    const auto args = terms().operands(call);
    if (args.size() != 5 || !terms().is_var(args[1])) {
      Fail(MakeDiagnostic(kPointerForm, at_));
      return call;
    }
    const DataType dtype = terms().dtype(args[0]);
    const MemoryInfo* memory = MemoryOf(args[1]);
    if (arith::IsHandle(terms().dtype(call))) {
      if (memory != nullptr && !memory->head_address) Fail(MakeDiagnostic(kNoAddress, at_, NameOf(args[1])));
      return AddressOf(tables(), args[1], dtype, args[2]);
    }
    const auto bits = uint64_t{dtype.bits} * dtype.lanes;
    if (memory == nullptr || bits == 0 || memory->unit_bits % bits != 0) {
      Fail(memory == nullptr ? MakeDiagnostic(kPointerForm, at_)
                             : MakeDiagnostic(kUnits, at_, bits, memory->unit_bits, memory->scope));
      return call;
    }
    const PrimExpr unit = terms().IntImm(terms().dtype(args[2]), static_cast<int64_t>(memory->unit_bits / bits));
    const PrimExpr offset = analyzer_.Simplify(arith::TruncDiv(terms(), args[2], unit));
    return arith::CastTo(terms(), terms().dtype(call), offset);
  }

  arith::Analyzer analyzer_;
  arith::CallOpId access_ptr_ = terms().Intrinsic("tir.tvm_access_ptr"_intrin);
  absl::flat_hash_map<PrimExpr, const MemoryInfo*> memories_;
  SourceRange at_;
};

}  // namespace

constinit const PassDef kLowerDeviceStorageAccessInfoPass = DescribePass<RewriterPass<StorageAccessLowerer>>({
    .name = "tir.LowerDeviceStorageAccessInfo",
    .summary = "Replace addresses of elements by pointer arithmetic",
    .details = R"(  T.tvm_access_ptr(T.type_annotation("float32"), A, 4, 8, 1)    ->    T.address_of(A_1[4])

An allocation in a memory with a tag of its own, such as local.vtcm, becomes the address where that memory begins, or
disappears where it has no addresses.)",
    .aliases = "tir.transform.LowerDeviceStorageAccessInfo",
    .idempotent = true,
});

}  // namespace relayopt::tir
