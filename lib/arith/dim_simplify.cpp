// Simplification of symbolic dimensions as products.
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/dim_arith.h"
#include "relayopt/arith/expr_object.h"

namespace relayopt {

namespace {

// A constant times objects that are not products themselves.
struct Product {
  int64_t constant = 1;
  std::vector<ObjectId> factors;
};

class Simplifier {
 public:
  explicit Simplifier(Context& context) : context_(context) {}

  auto Run(ObjectId root) -> Dim {
    std::vector<ObjectId> stack = {root};
    while (!stack.empty()) {
      const ObjectId id = stack.back();
      if (done_.contains(id)) {
        stack.pop_back();
        continue;
      }
      const size_t pending = stack.size();
      if (Operator(id) != Kind::kOther) {
        for (const ObjectId operand : {Operand(id, 0), Operand(id, 1)}) {
          if (!done_.contains(operand)) stack.push_back(operand);
        }
      }
      if (stack.size() != pending) continue;
      done_[id] = Evaluate(id);
      stack.pop_back();
    }
    return Rebuild(done_[root]);
  }

 private:
  enum class Kind : uint8_t { kMul, kDiv, kOther };

  auto Operator(ObjectId id) const -> Kind {
    const auto prim = arith::KindOf(context_, id);
    const Kind kind = prim == arith::PrimKind::kMul                                         ? Kind::kMul
                      : prim == arith::PrimKind::kFloorDiv || prim == arith::PrimKind::kDiv ? Kind::kDiv
                                                                                            : Kind::kOther;
    return kind != Kind::kOther && Operand(id, 0) && Operand(id, 1) ? kind : Kind::kOther;
  }

  auto Operand(ObjectId id, size_t i) const -> ObjectId { return arith::FieldOf(context_, id, i == 0 ? "a" : "b"); }

  auto Evaluate(ObjectId id) -> Product {
    Product self{1, {id}};
    const Object& object = context_.object(id);
    if (object.kind == ObjectKind::kInt) return {object.integer, {}};
    const Kind kind = Operator(id);
    if (kind == Kind::kOther) return self;
    Product left = done_[Operand(id, 0)];
    const Product& right = done_[Operand(id, 1)];
    if (kind == Kind::kMul) {
      if (__builtin_mul_overflow(left.constant, right.constant, &left.constant)) return self;
      left.factors.insert(left.factors.end(), right.factors.begin(), right.factors.end());
      return left;
    }
    // An exact division by a constant; anything else stays a quotient.
    if (!right.factors.empty() || right.constant <= 0 || left.constant % right.constant != 0) return self;
    left.constant /= right.constant;
    return left;
  }

  auto Rebuild(const Product& product) -> Dim {
    if (product.factors.empty()) return product.constant;
    Dim out = Dim::Expr(product.factors[0]);
    for (size_t i = 1; i < product.factors.size(); ++i) out = Mul(context_, out, Dim::Expr(product.factors[i]));
    return Mul(context_, out, product.constant);
  }

  Context& context_;
  absl::flat_hash_map<ObjectId, Product> done_;
};

}  // namespace

auto Simplify(Context& context, const Dim& dim) -> Dim {
  return dim.is_expr() ? Simplifier(context).Run(dim.object()) : dim;
}

auto ProvablyEqual(Context& context, const Dim& a, const Dim& b) -> bool {
  if (SameExtent(a, b)) return true;
  if (!a.is_expr() || !b.is_expr()) return false;
  if (context.EqualObjects(a.object(), b.object())) return true;
  const Dim x = Simplify(context, a);
  const Dim y = Simplify(context, b);
  if (!x.is_expr() || !y.is_expr()) return SameExtent(x, y);
  return context.EqualObjects(x.object(), y.object());
}

}  // namespace relayopt
