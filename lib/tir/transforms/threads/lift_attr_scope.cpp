// LiftAttrScope: an attribute moves outwards and covers neighbours that agree on it.
//
// On the way up, each statement has the attribute that could be put around it. Neighbours in a sequence that agree get
// one around all of them, and if all agree it moves further outwards:
//
//   for i in range(4):                      with T.attr(0, "k", 1):
//       with T.attr(0, "k", 1):       ->        for i in range(4):
//           A[i] = 1                                A[i] = 1
//       with T.attr(0, "k", 1):                     B[i] = 2
//           B[i] = 2

#include "lib/tir/transforms/passes.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoKey{"lift-attr-key", Severity::kError,
                                "tir.LiftAttrScope needs the key of the attribute: tir.LiftAttrScope<attr_key=...>"};
constexpr DiagnosticKind kLiftWhile{"lift-attr-while", Severity::kError,
                                    "tir.LiftAttrScope: while loops are not supported"};

class AttrLifter : public Rewriter {
 public:
  AttrLifter(const PrimFunc& func, std::string_view key) : Rewriter(func), key_(func.context().Intern(key)) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (stmt.is(StmtKind::kWhile)) Fail(MakeDiagnostic(kLiftWhile, stmt.range()));
    return Descent::Into();
  }

  void EnterPart(Stmt stmt, size_t part, Exprs) override {
    const bool branch = stmt.is(StmtKind::kIf) && stmt.num_parts() == 2;
    if (!branch && !stmt.is(StmtKind::kSeq)) return;
    if (part > 0) parts_.push_back(lifted_);
    lifted_ = {};
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    StmtId made;
    if (stmt.is(StmtKind::kSeq)) {
      made = LeaveSequence(parts);
    } else if (stmt.is(StmtKind::kIf) && stmt.num_parts() == 2) {
      const LiftedAttr then_case = parts_.back();
      parts_.pop_back();
      if (!(then_case == lifted_)) {
        parts.stmts[0] = Around(then_case, parts.stmts[0]);
        parts.stmts[1] = Around(std::exchange(lifted_, {}), parts.stmts[1]);
      }
      made = Rewriter::Leave(stmt, parts);
    } else if (const auto attr = stmt.As<AttrStmt>(); attr && attr->key() == key_) {
      made = Around(std::exchange(lifted_, {true, attr->node(), attr->value()}), parts.stmts[0]);
    } else {
      if (stmt.is(StmtKind::kAllocate)) parts.stmts[0] = Around(std::exchange(lifted_, {}), parts.stmts[0]);
      made = Rewriter::Leave(stmt, parts);
    }
    return stmt == func().body() ? Around(lifted_, made) : made;
  }

 private:
  // The attribute that a statement would have around it.
  struct LiftedAttr {
    bool any = false;
    AttrNode node;
    PrimExpr value;
    friend auto operator==(const LiftedAttr&, const LiftedAttr&) -> bool = default;
  };

  auto Around(const LiftedAttr& lifted, StmtId body) -> StmtId {
    return lifted.any ? builder().Attr(lifted.node, key_, lifted.value, body) : body;
  }

  auto LeaveSequence(Parts parts) -> StmtId {
    parts_.push_back(lifted_);
    const size_t first = parts_.size() - parts.stmts.size();
    const std::vector<LiftedAttr> each(parts_.begin() + static_cast<ptrdiff_t>(first), parts_.end());
    parts_.resize(first);
    lifted_ = {};
    std::vector<StmtId> made;
    for (size_t begin = 0; begin < each.size();) {
      size_t end = begin + 1;
      while (end < each.size() && each[end] == each[begin]) ++end;
      const StmtId run = builder().Seq(parts.stmts.subspan(begin, end - begin));
      if (end - begin == each.size()) {
        lifted_ = each[0];
        return run;
      }
      made.push_back(Around(each[begin], run));
      begin = end;
    }
    return builder().Seq(made);
  }

  StringId key_;
  LiftedAttr lifted_;
  // The attributes that completed parts of open sequences and branches would have.
  std::vector<LiftedAttr> parts_;
};

struct LiftAttrScopeOptions {
  std::string attr_key;
  static constexpr auto Fields() {
    return std::array{Option<&LiftAttrScopeOptions::attr_key>("the key of the attribute that moves")};
  }
};

struct LiftAttrScopePass {
  using Options = LiftAttrScopeOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (options.attr_key.empty()) return MakeDiagnostic(kNoKey, {});
    return AttrLifter(func, options.attr_key).RunOrFail();
  }
};

}  // namespace

constinit const PassDef kLiftAttrScopePass = DescribePass<LiftAttrScopePass>({
    .name = "tir.LiftAttrScope",
    .summary = "Move attributes on which adjacent statements agree outward",
    .details = R"(  for i in range(4):                      with T.attr(0, "k", 1):
      with T.attr(0, "k", 1):       ->        for i in range(4):
          A[i] = 1                                A[i] = 1
      with T.attr(0, "k", 1):                     B[i] = 2
          B[i] = 2

It stays inside of allocations, and in the branches that do not agree.)",
    .aliases = "tir.transform.LiftAttrScope",
});

}  // namespace relayopt::tir
