// The frame of a rewrite.
#include "relayopt/relay/ir/rebuild.h"

namespace relayopt {

Rebuild::Rebuild(const Function& from) : from_(&from), builder_(from.context()), map_(from.size()) {
  builder_.ReserveLike(from);
}

auto Rebuild::NewOperands(ExprId old) -> std::span<const ExprId> {
  operands_.clear();
  for (const ExprId operand : from_->operands(old)) operands_.push_back(map_[operand]);
  return operands_;
}

}  // namespace relayopt
