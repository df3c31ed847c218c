// InjectCopyIntrin: loops that copy, marked by a pragma, become a call of a function that copies.
//
//   with T.attr(0, "pragma_copy", 1):
//       for i, j in T.grid(4, 10):                        ->    T.call_packed("my_copy", src, dst, 0, 1, 0, 1,
//       T.float32(0))
//           B[i * 10 + j] = T.if_then_else(
//               1 <= j and j < 9, A[i * 8 + j - 1], T.float32(0))
//
// `src` and `dst` are tensors (T.tvm_stack_make_array) with the loops as axes. The strides are the coefficients of the
// loop variables in the indices, here (8, 1) and (10, 1), and the offsets are what is left. A condition around the load
// must be bounds of loop variables: `src` has only what is inside of them, here the shape (4, 8), and the function
// fills the rest of `dst`. It is given, after the tensors, how much that is before `src` on each axis, then after it on
// each axis, and the value. Without a condition it is given only the tensors.
//
// In TVM the function is a callback of the compiler's user, which returns the statement. A packed call is what TVM
// makes of a statement that passes these buffers on. The attribute tir.copy_functions of the function says that calls
// of this name copy, so that programs with them can be evaluated.
#include <fmt/core.h>

#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/deduce.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/calling_convention.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoPragma{"copy-intrin-key", Severity::kError, "tir.InjectCopyIntrin needs the option {}"};
constexpr DiagnosticKind kNoCopy{"copy-intrin-form", Severity::kError, "pragma_{} marks no copy: {}"};

struct CopyIntrinOptions {
  std::string pragma_key;
  std::string fintrin;
  static constexpr auto Fields() {
    return std::array{Option<&CopyIntrinOptions::pragma_key>("the pragma, without pragma_"),
                      Option<&CopyIntrinOptions::fintrin>("the name of the packed function that copies")};
  }
};

// A side of a copy: the memory, and how the loops go through it.
struct CopySide {
  BufferId buffer;
  std::vector<PrimExpr> shape;
  std::vector<PrimExpr> strides;
  PrimExpr offset;
};

struct Padding {
  std::vector<PrimExpr> before;
  std::vector<PrimExpr> after;
  PrimExpr value;
};

class CopyIntrinInjector : public Rewriter {
 public:
  CopyIntrinInjector(const PrimFunc& func, const CopyIntrinOptions& options)
      : Rewriter(func), options_(options), key_("pragma_" + options.pragma_key), analyzer_(func.terms()) {}

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }

  auto Enter(Stmt stmt) -> Descent override {
    const auto attr = stmt.As<AttrStmt>();
    if (!attr || attr->key_text() != key_) return Descent::Into();
    loops_.clear();
    has_copies_ = true;
    return Descent::Done(Copy(*attr));
  }

  void Finish(PrimFuncInfo& info) override {
    if (!has_copies_) return;
    const StringId key = context().Intern(kCopyFunctions);
    const auto known = std::ranges::find(info.attrs, key, &DictAttr::key);
    std::vector<ObjectId> names;
    if (known != info.attrs.end()) {
      const auto& items = context().object(known->value).items;
      names.assign(items.begin(), items.end());
    }
    const auto is_this = [this](ObjectId name) {
      return context().text(context().object(name).text) == options_.fintrin;
    };
    if (std::ranges::none_of(names, is_this)) names.push_back(context().AddString(options_.fintrin));
    const ObjectId list = context().AddArray(names);
    if (known != info.attrs.end())
      known->value = list;
    else
      info.attrs.push_back({key, list});
  }

 private:
  auto Refuse(Stmt stmt, std::string_view why) -> StmtId {
    Fail(MakeDiagnostic(kNoCopy, stmt.range(), options_.pragma_key, why));
    return builder().NoOp();
  }

  auto Copy(AttrStmt attr) -> StmtId {
    Stmt body = attr.body();
    for (auto loop = body.As<For>(); loop; loop = body.As<For>()) {
      if (!terms().IsInt(loop->min(), 0)) return Refuse(*loop, "a loop does not begin at 0");
      if (UsesLoops(loop->extent())) return Refuse(*loop, "the extent of a loop depends on another loop");
      loops_.push_back({loop->loop_var(), loop->extent()});
      body = loop->body();
    }
    const auto store = body.As<BufferStore>();
    if (!store) return Refuse(body, "the body is more than a store");
    // A cast, or a condition that keeps the load inside of the source.
    PrimExpr load = store->value();
    PrimExpr condition;
    Padding padding;
    if (terms().kind(load) == PrimKind::kCast) {
      load = terms().operand(load, 0);
    } else if (terms().kind(load) == PrimKind::kSelect || terms().IsCall(load, terms().ops().if_then_else)) {
      if (terms().num_operands(load) != 3) return Refuse(body, "the condition has no other value");
      condition = terms().operand(load, 0);
      padding.value = terms().operand(load, 2);
      load = terms().operand(load, 1);
    }
    if (terms().kind(load) != PrimKind::kBufferLoad) return Refuse(body, "the value that is stored is not a load");
    if (store->indices().size() != 1 || terms().num_operands(load) != 1)
      return Refuse(body, "the buffers have more than one axis: tir.FlattenBuffer comes before");
    auto src = SideOf(terms().buffer(load), terms().operand(load, 0));
    auto dst = SideOf(store->buffer(), store->indices()[0]);
    if (!src || !dst) return Refuse(body, "an index is not linear in the loop variables, or a vector");
    if (condition) {
      if (UsesLoops(padding.value)) return Refuse(body, "the value of the padding depends on a loop");
      const auto bounds = arith::DetectClipBound(terms(), condition, Vars());
      if (!bounds || loops_.empty()) return Refuse(body, "the condition is not one of bounds of loop variables");
      Clip(*bounds, *src, padding);
    }
    return Call(*src, *dst, condition ? &padding : nullptr);
  }

  struct Loop {
    PrimExpr var;
    PrimExpr extent;
  };

  auto Vars() const -> std::vector<PrimExpr> { return MapToVector<PrimExpr>(loops_, &Loop::var); }

  auto UsesLoops(PrimExpr e) -> bool {
    return arith::UsesVar(terms(), e, [&](PrimExpr var) {
      return std::ranges::any_of(loops_, [&](const Loop& loop) { return loop.var == var; });
    });
  }

  auto SideOf(BufferId buffer, PrimExpr index) -> std::optional<CopySide> {
    if (terms().lanes(index) != 1) return std::nullopt;
    auto linear = arith::DetectLinearEquation(terms(), index, Vars());
    if (!linear) return std::nullopt;
    CopySide side{.buffer = buffer, .offset = analyzer_.Simplify(linear->back())};
    linear->pop_back();
    for (size_t i = 0; i < loops_.size(); ++i) {
      side.shape.push_back(loops_[i].extent);
      side.strides.push_back(analyzer_.Simplify((*linear)[i]));
    }
    if (loops_.empty()) side.shape = side.strides = {terms().Int32(1)};
    return side;
  }

  // The elements inside of the bounds are the source, those outside are the padding. Bounds that exclude each other
  // leave no source.
  void Clip(std::span<const arith::ClipBound> bounds, CopySide& src, Padding& padding) {
    for (size_t i = 0; i < bounds.size(); ++i) {
      const auto& [var, extent] = loops_[i];
      const PrimExpr zero = arith::MakeZero(terms(), terms().dtype(var));
      const PrimExpr one = arith::MakeConst(terms(), terms().dtype(var), 1);
      PrimExpr before = zero;
      PrimExpr after = zero;
      if (bounds[i].min) before = AtMost(arith::Max(terms(), bounds[i].min, zero), extent);
      const PrimExpr rest = arith::Sub(terms(), extent, before);
      if (bounds[i].max) {
        const PrimExpr end = arith::Sub(terms(), arith::Sub(terms(), extent, bounds[i].max), one);
        after = AtMost(arith::Max(terms(), end, zero), rest);
      }
      src.offset = arith::Add(terms(), src.offset, arith::Mul(terms(), before, src.strides[i]));
      src.shape[i] = analyzer_.Simplify(arith::Sub(terms(), rest, after));
      padding.before.push_back(before);
      padding.after.push_back(after);
    }
    src.offset = analyzer_.Simplify(src.offset);
  }

  auto AtMost(PrimExpr e, PrimExpr limit) -> PrimExpr {
    const PrimExpr simple = analyzer_.Simplify(e);
    if (analyzer_.CanProve(arith::Le(terms(), simple, limit))) return simple;
    return analyzer_.Simplify(arith::Min(terms(), simple, limit));
  }

  auto Call(const CopySide& src, const CopySide& dst, const Padding* padding) -> StmtId {
    std::vector<PrimExpr> args = {terms().StringImm(options_.fintrin), ArrayOf(src), ArrayOf(dst)};
    if (padding != nullptr) {
      args.insert(args.end(), padding->before.begin(), padding->before.end());
      args.insert(args.end(), padding->after.begin(), padding->after.end());
      args.push_back(padding->value);
    }
    return builder().Evaluate(terms().Call(DataType::Int(32), terms().Intrinsic("tir.tvm_call_packed"_intrin), args));
  }

  auto ArrayOf(const CopySide& side) -> PrimExpr {
    const Buffer& buffer = tables().buffer(side.buffer);
    const auto shape_of = [this](std::span<const PrimExpr> extents) {
      return terms().Call(arith::kHandleType, terms().Intrinsic("tir.tvm_stack_make_shape"_intrin), extents);
    };
    const PrimExpr rank = terms().Int32(static_cast<int64_t>(side.shape.size()));
    return terms().Call(arith::kHandleType, terms().Intrinsic("tir.tvm_stack_make_array"_intrin),
                        {buffer.data, shape_of(side.shape), shape_of(side.strides), rank,
                         arith::MakeZero(terms(), buffer.dtype), side.offset});
  }

  const CopyIntrinOptions& options_;
  std::string key_;
  arith::Analyzer analyzer_;
  // The loops of the copy, the outermost one first.
  std::vector<Loop> loops_;
  bool has_copies_ = false;
};

struct InjectCopyIntrinPass {
  using Options = CopyIntrinOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (options.pragma_key.empty()) return MakeDiagnostic(kNoPragma, {}, "pragma_key");
    if (options.fintrin.empty()) return MakeDiagnostic(kNoPragma, {}, "fintrin");
    return CopyIntrinInjector(func, options).RunOrFail();
  }
};

}  // namespace

constinit const PassDef kInjectCopyIntrinPass = DescribePass<InjectCopyIntrinPass>({
    .name = "tir.InjectCopyIntrin",
    .summary = "Replace marked copies by calls of a function that copies",
    .details = R"(With <pragma_key=copy;fintrin=my_copy>:

  with T.attr(0, "pragma_copy", 1):
      for i, j in T.grid(4, 10):                      ->    T.call_packed("my_copy", src, dst, 0, 1, 0, 1, T.float32(0))
          B[i * 10 + j] = T.if_then_else(
              1 <= j and j < 9, A[i * 8 + j - 1], T.float32(0))

The loops begin at 0, and their body stores one load (which may be cast) by indices that are linear in the loop
variables. src and dst are tensors with the loops as axes. If bounds of loop variables guard the load, src is what is
inside of them; the function is then also given the padding before and after it on each axis, and the padding's value.
The attribute tir.copy_functions lists the functions that copy, which --run and --validate execute. A marked statement
of another form is an error.)",
    .aliases = "tir.transform.InjectCopyIntrin",
    .idempotent = true,
});

}  // namespace relayopt::tir
