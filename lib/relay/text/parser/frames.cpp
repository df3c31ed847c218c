// Opens and closes frames: their parts, their scopes, function headers, patterns of matches.
#include "frames.h"

namespace relayopt {

auto ParseFrame::AcceptsBrace() const -> bool {
  switch (kind) {
    case FrameKind::kBlock:
    case FrameKind::kFunction: return true;
    case FrameKind::kIf: return state != FrameState::kFirst;
    case FrameKind::kMatch: return state == FrameState::kBody;
    default: return false;
  }
}

auto ParseFrame::AcceptsSemicolon() const -> bool {
  return AcceptsBrace() || kind == FrameKind::kLet || kind == FrameKind::kBind || kind == FrameKind::kDetour;
}

auto FrameStack::BehindOperators() const -> const ParseFrame& {
  size_t outer = frames_.size() - 1;
  while (frames_[outer].kind == FrameKind::kOperator) --outer;
  return frames_[outer];
}

auto FrameStack::Open(FrameKind kind, uint32_t begin) -> ParseFrame& {
  ParseFrame& frame = frames_.emplace_back();
  frame.kind = kind;
  frame.begin = begin;
  frame.base = static_cast<uint32_t>(parts_.size());
  frame.scope = names_.Here();
  if (kind == FrameKind::kFunction) {
    names_.Enter();
    names_.EnterFunction();
    headers_.push_back({{}, type_vars_.Here()});
  } else if (kind == FrameKind::kMatch) {
    matches_.emplace_back();
  } else if (kind == FrameKind::kDetour) {
    ++detours_;
  }
  return frame;
}

void FrameStack::Close() {
  const ParseFrame frame = frames_.back();
  frames_.pop_back();
  parts_.truncate(frame.base);
  names_.Leave(frame.scope);
  if (frame.kind == FrameKind::kFunction) {
    type_vars_.Leave(headers_.back().type_vars);
    headers_.pop_back();
    names_.LeaveFunction();
  } else if (frame.kind == FrameKind::kMatch) {
    matches_.pop_back();
  } else if (frame.kind == FrameKind::kDetour) {
    --detours_;
  }
}

void FrameStack::DropParts(size_t most) {
  parsing_.reporter.Report(diag::kTooManyOperands, parsing_.lexer.token().range(), most);
  parts_.truncate(frames_.back().base);
}

}  // namespace relayopt
