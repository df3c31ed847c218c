// Open statements: each frame collects the statements in it and becomes one statement when it is closed.

#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {

auto Reader::Pending(Frame&& frame) -> Value {
  pending_.push_back(std::move(frame));
  return Value::Of(ValueKind::kFrame, static_cast<uint32_t>(pending_.size() - 1));
}

void Reader::Open(Frame&& frame) {
  frame.first_stmt = done_.size();
  frames_.push_back(std::move(frame));
}

void Reader::Emit(StmtId stmt) { done_.push_back(stmt); }

void Reader::CloseTo(size_t depth) {
  while (frames_.size() > depth) CloseTop();
}

auto Reader::FunctionFrame(std::string_view what, SourceRange range) -> Frame* {
  if (!frames_.empty() && frames_.back().kind == FrameKind::kFunction) return &frames_.back();
  Report(diag::kPlace, range, what, "a PrimFunc");
  return nullptr;
}

auto Reader::BlockFrame(std::string_view what, SourceRange range) -> OpenBlock* {
  if (!frames_.empty() && frames_.back().kind == FrameKind::kBlock) return frames_.back().block.get();
  Report(diag::kPlace, range, what, "a block");
  return nullptr;
}

auto Reader::BlockAbove(std::string_view what, SourceRange range) -> OpenBlock* {
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == FrameKind::kBlock) return frames_[i].block.get();
  }
  Report(diag::kPlace, range, what, "a block");
  return nullptr;
}

void Reader::CloseTop() {
  Frame& frame = frames_.back();
  StmtBuilder& b = *builder_;
  StmtId body = b.Seq(std::span(done_).subspan(frame.first_stmt));
  done_.resize(frame.first_stmt);
  const auto or_true = [this](PrimExpr condition) { return condition ? condition : terms_.Bool(true); };
  StmtId made;
  switch (frame.kind) {
    case FrameKind::kFunction: made = body; break;
    case FrameKind::kLet: made = b.Let(frame.var, frame.value, body); break;
    case FrameKind::kAttr: made = b.Attr(frame.node, frame.key, frame.value, body); break;
    case FrameKind::kAssert: made = b.Assert(frame.value, frame.var, body); break;
    case FrameKind::kAllocate:
      made = b.Allocate(frame.var, frame.dtype, frame.exprs, or_true(frame.value), body, frame.annotations);
      break;
    case FrameKind::kAllocateConst:
      made = b.AllocateConst(frame.var, frame.dtype, frame.exprs, frame.data, 0, body, frame.annotations);
      break;
    case FrameKind::kDecl: made = b.DeclBuffer(frame.buffer, body); break;
    case FrameKind::kDeclAllocate: {
      const Buffer& buffer = tables_.buffer(frame.buffer);
      made = b.DeclBuffer(frame.buffer, body);
      if (frame.range.valid()) b.SetRange(made, frame.range);
      made = b.Allocate(buffer.data, buffer.dtype, buffer.shape, or_true({}), made, frame.annotations);
      break;
    }
    case FrameKind::kRealize:
      made = b.Realize(frame.buffer, frame.exprs, or_true(frame.value), body);
      if (frame.range.valid()) b.SetRange(made, frame.range);
      made = b.Attr(frame.buffer, "realize_scope", frame.var, made);
      break;
    case FrameKind::kWhile: made = b.While(frame.value, body); break;
    case FrameKind::kThen: made = b.If(frame.value, body); break;
    case FrameKind::kElse: made = b.If(frame.value, frame.then_case, body); break;
    case FrameKind::kFor:
      for (size_t i = frame.loops.size(); i-- > 0;) {
        const LoopSpec& loop = frame.loops[i];
        if (body && made && frame.range.valid()) b.SetRange(made, frame.range);
        made = b.For(loop.var, loop.min, loop.extent, loop.kind, made ? made : body, frame.iter,
                     i == 0 ? frame.annotations : ObjectId());
      }
      break;
    case FrameKind::kInit:
      for (size_t i = frames_.size(); i-- > 0;) {
        if (frames_[i].kind == FrameKind::kBlock) {
          frames_[i].block->init = body;
          break;
        }
      }
      return frames_.pop_back();
    case FrameKind::kBlock: made = CloseBlock(frame, body); break;
  }
  if (frame.range.valid() && frame.kind != FrameKind::kFunction) b.SetRange(made, frame.range);
  frames_.pop_back();
  done_.push_back(made);
}

// In an open block a region's position is that in the list of its kind, in a statement that among all expressions.
static void MoveRegions(const OpenBlock& open, BlockInfo& info, bool to_statement) {
  auto base = static_cast<uint32_t>(open.axis_domains.size());
  const auto move = [&](BlockRegion& region) {
    region.first = to_statement ? region.first + base : region.first - base;
  };
  for (BlockRegion& region : info.reads) move(region);
  base += static_cast<uint32_t>(open.read_bounds.size());
  for (BlockRegion& region : info.writes) move(region);
  base += static_cast<uint32_t>(open.write_bounds.size());
  for (BlockMatch& match : info.match_buffers) move(match.source);
}

auto Reader::CloseBlock(Frame& frame, StmtId body) -> StmtId {
  OpenBlock& open = *frame.block;
  has_blocks_ = true;
  HideBuffersOf(open.info);
  const auto realize = [&](StmtId block) {
    if (open.no_realize) return block;
    if (frame.range.valid()) builder_->SetRange(block, frame.range);
    return builder_->BlockRealize(open.values, open.predicate ? open.predicate : terms_.Bool(true), block);
  };
  if (open.has_reads && open.has_writes) return realize(BuildBlock(open, std::move(open.info), body));
  // In the function itself.
  const bool is_outer = frames_.size() == 2;
  const StmtId declared = BuildBlock(open, is_outer ? BlockInfo(open.info) : std::move(open.info), body);
  const BlockAccesses accesses = DetectBlockAccesses(builder_->stmt(declared), visible_buffers_);
  if (!is_outer) {
    open.info = builder_->TakeBackBlock();
    MoveRegions(open, open.info, false);
  }
  AddRegions(open, accesses, frame.range);
  const StmtId made = realize(BuildBlock(open, std::move(open.info), body));
  if (is_outer) outer_block_ = {made, realize(declared)};
  return made;
}

auto Reader::BuildBlock(const OpenBlock& open, BlockInfo info, StmtId body) -> StmtId {
  OpenBlock::ExprList exprs = open.axis_domains;
  for (const auto* bounds : {&open.read_bounds, &open.write_bounds, &open.match_bounds}) {
    exprs.insert(exprs.end(), bounds->begin(), bounds->end());
  }
  MoveRegions(open, info, true);
  return builder_->Block(std::move(info), exprs, body, open.init);
}

// Regions that a block does not declare are those that it accesses.
void Reader::AddRegions(OpenBlock& open, const BlockAccesses& accesses, SourceRange range) {
  if (!accesses.opaque.empty()) Report(diag::kNoRegions, range);
  const auto fill = [](const std::vector<BufferRegion>& found, std::vector<BlockRegion>& regions,
                       OpenBlock::ExprList& bounds) {
    regions.reserve(found.size());
    for (const BufferRegion& region : found) {
      regions.push_back(
          {region.buffer, static_cast<uint32_t>(bounds.size()), static_cast<uint32_t>(region.ranges.size())});
      for (const Range& each : region.ranges) bounds.insert(bounds.end(), {each.min, each.extent});
    }
  };
  if (!open.has_reads) fill(accesses.reads, open.info.reads, open.read_bounds);
  if (!open.has_writes) fill(accesses.writes, open.info.writes, open.write_bounds);
}

void Reader::ShowBuffer(BufferId buffer) { visible_buffers_[tables_.buffer(buffer).data] = buffer; }

void Reader::HideBuffersOf(const BlockInfo& block) {
  for (const BufferId buffer : block.alloc_buffers) visible_buffers_.erase(tables_.buffer(buffer).data);
  for (const BlockMatch& match : block.match_buffers) visible_buffers_.erase(tables_.buffer(match.buffer).data);
}

}  // namespace relayopt::tir
