// InferFragment: allocations of matrix fragments get the shape and layout with which they are used.
//
//   a = T.allocate([256], "float16", "wmma.matrix_a")          T.attr(a, "fragment_layout", "row_major")
//   T.tvm_load_matrix_sync(a, 16, 16, 16, ..., "row_major")  -> T.attr(a, "fragment_shape", "16, 16, 16")
//                                                               a = T.allocate([256], "float16", "wmma.matrix_a")
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kDiffers{"fragment-differs", Severity::kError,
                                  "the fragment {} is used with two different shapes or layouts"};
constexpr DiagnosticKind kForm{"fragment-form", Severity::kError,
                               "this use of a fragment needs a variable, a literal shape and the name of a layout"};
constexpr DiagnosticKind kMissing{"fragment-missing", Severity::kError, "the fragment {} is neither filled nor loaded"};
constexpr DiagnosticKind kShapes{"fragment-shapes", Severity::kError,
                                 "the fragments of this product have different shapes"};

struct FragmentInfo {
  int64_t m, n, k;
  std::string_view layout;
  auto SameShape(const FragmentInfo& other) const -> bool { return m == other.m && n == other.n && k == other.k; }
};

class FragmentMarker : public Rewriter {
 public:
  explicit FragmentMarker(const PrimFunc& func) : Rewriter(func) { Collect(); }

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const StmtId made = Rewriter::Leave(stmt, parts);
    const auto alloc = stmt.As<Allocate>();
    const auto found = alloc ? fragments_.find(alloc->buffer_var()) : fragments_.end();
    if (found == fragments_.end()) return made;
    const FragmentInfo& info = found->second;
    const PrimExpr shape = terms().StringImm(fmt::format("{}, {}, {}", info.m, info.n, info.k));
    const StmtId shaped = builder().Attr(alloc->buffer_var(), "fragment_shape", shape, made);
    if (info.layout.empty()) return shaped;
    return builder().Attr(alloc->buffer_var(), "fragment_layout", terms().StringImm(info.layout), shaped);
  }

 private:
  template <typename Visit>
  void ForEachCall(Visit&& visit) {
    for (StmtId id(0U); id.value() < func().size() && !failed(); ++id) {
      for (const PrimExpr expr : func().stmt(id).exprs()) {
        for (const PrimExpr part : arith::PostOrder(terms(), expr)) {
          if (terms().kind(part) == PrimKind::kCall) visit(func().stmt(id), part);
        }
      }
    }
  }

  void Collect() {
    const auto load = terms().Intrinsic("tir.tvm_load_matrix_sync"_intrin);
    const auto store = terms().Intrinsic("tir.tvm_store_matrix_sync"_intrin);
    const auto fill = terms().Intrinsic("tir.tvm_fill_fragment"_intrin);
    const auto mma = terms().Intrinsic("tir.tvm_mma_sync"_intrin);
    const auto bmma = terms().Intrinsic("tir.tvm_bmma_sync"_intrin);
    ForEachCall([&](Stmt stmt, PrimExpr call) {
      if (terms().IsCall(call, load) || terms().IsCall(call, store)) Note(stmt, call, true);
      if (terms().IsCall(call, fill)) Note(stmt, call, false);
    });
    ForEachCall([&](Stmt stmt, PrimExpr call) {
      if (terms().IsCall(call, mma) || terms().IsCall(call, bmma)) CheckProduct(stmt, call);
    });
  }

  void Note(Stmt stmt, PrimExpr call, bool has_layout) {
    const auto args = terms().operands(call);
    const bool fits = args.size() == (has_layout ? 8 : 6) && terms().is_var(args[0]) && terms().AsInt(args[1]) &&
                      terms().AsInt(args[2]) && terms().AsInt(args[3]) &&
                      (!has_layout || terms().kind(args[7]) == PrimKind::kStringImm);
    if (!fits) {
      Fail(MakeDiagnostic(kForm, stmt.range()));
      return;
    }
    FragmentInfo info{*terms().AsInt(args[1]), *terms().AsInt(args[2]), *terms().AsInt(args[3]), {}};
    const std::string_view scope = ScopeOf(terms(), context(), args[0]);
    if (scope == "wmma.matrix_a" || scope == "wmma.matrix_b") {
      info.layout = has_layout ? context().text(terms().string_value(args[7])) : std::string_view("row_major");
    }
    const auto [at, is_new] = fragments_.try_emplace(args[0], info);
    if (is_new || (at->second.SameShape(info) && at->second.layout == info.layout) || failed()) return;
    Fail(MakeDiagnostic(kDiffers, stmt.range(), context().text(terms().var(args[0]).name)));
  }

  void CheckProduct(Stmt stmt, PrimExpr call) {
    const auto args = terms().operands(call);
    const FragmentInfo* first = nullptr;
    for (size_t i = 0; i < args.size() && i < 8; i += 2) {
      const auto found = fragments_.find(args[i]);
      if (failed()) return;
      if (found == fragments_.end()) {
        const bool is_var = terms().is_var(args[i]);
        Fail(is_var ? MakeDiagnostic(kMissing, stmt.range(), context().text(terms().var(args[i]).name))
                    : MakeDiagnostic(kForm, stmt.range()));
      } else if (first == nullptr) {
        first = &found->second;
      } else if (!first->SameShape(found->second)) {
        Fail(MakeDiagnostic(kShapes, stmt.range()));
      }
    }
  }

  absl::flat_hash_map<PrimExpr, FragmentInfo> fragments_;
};

}  // namespace

constinit const PassDef kInferFragmentPass = DescribePass<RewriterPass<FragmentMarker>>({
    .name = "tir.InferFragment",
    .summary = "Attach shapes and layouts of matrix fragments to their allocations",
    .details =
        R"(  a = T.allocate([256], "float16", "wmma.matrix_a")           T.attr(a, "fragment_layout", "row_major")
  T.tvm_load_matrix_sync(a, 16, 16, 16, ..., "row_major")  -> T.attr(a, "fragment_shape", "16, 16, 16")
                                                              a = T.allocate([256], "float16", "wmma.matrix_a")

All uses of a fragment agree, and so do the shapes of the fragments of a product.)",
    .aliases = "tir.transform.InferFragment",
});

}  // namespace relayopt::tir
