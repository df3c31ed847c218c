// Printing blocks: their axes, regions, buffers and attributes.

#include "lib/tir/script/printer_state.h"

namespace relayopt::tir {
void Printer::BlockLines(Block block, const BlockRealize* realize, uint32_t indent) {
  uses_t_ = true;
  line_ = "with T.block(";
  AppendQuoted(line_, context_.text(block.name()));
  Line(indent, line_ += realize == nullptr ? ", no_realize=True):" : "):");
  const uint32_t inner = indent + kIndent;
  OpenFrame(block.id(), inner);
  AxisLines(block, realize, inner);
  const auto start = [&] { frames_.back().line_start = out_.size(); };
  if (realize != nullptr && !terms_.IsInt(realize->predicate(), 1)) {
    start();
    line_ = "T.where(";
    Expr(realize->predicate(), line_);
    Line(inner, line_ += ')');
  }
  const auto regions = [&](const char* name, std::span<const BlockRegion> list) {
    start();
    line_ = name;
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) line_ += ", ";
      Region(list[i].buffer, block.bounds(list[i]), line_, true);
    }
    Line(inner, line_ += ')');
  };
  regions("T.reads(", block.reads());
  regions("T.writes(", block.writes());
  if (block.annotations()) {
    start();
    line_ = "T.block_attr(";
    ObjectText(block.annotations(), line_);
    Line(inner, line_ += ')');
  }
  for (const BufferId buffer : block.alloc_buffers()) AllocBufferLine(buffer);
  for (const BlockMatch& match : block.match_buffers()) {
    start();
    line_ = "T.match_buffer(";
    Region(match.source.buffer, block.bounds(match.source), line_, true);
    const std::string name(DefineBuffer(match.buffer, frames_.back()));
    const BufferText text = BufferAttrs(match.buffer, frames_.back(), InlineData::kYes);
    BufferLine(frames_.back(), text, Concat(name, " = ", line_, ", ", text.args, ")"));
  }
  Push({Step::Kind::kClose});
  Push({Step::Kind::kBody, false, inner, block.body().id()});
  if (block.has_init()) {
    Push({Step::Kind::kClose});
    Push({Step::Kind::kBody, false, inner + kIndent, block.init().id()});
    Push({Step::Kind::kOpen, false, inner + kIndent, block.init().id()});
    Push({Step::Kind::kInit, false, inner, {}});
  }
}

void Printer::AllocBufferLine(BufferId buffer) {
  Frame& frame = frames_.back();
  frame.line_start = out_.size();
  uses_t_ = true;
  const std::string name(DefineBuffer(buffer, frame));
  const BufferText text = BufferAttrs(buffer, frame, InlineData::kYes);
  BufferLine(frame, text, Concat(name, " = T.alloc_buffer(", text.args, ")"));
}

void Printer::AxisLines(Block block, const BlockRealize* realize, uint32_t indent) {
  const auto axes = block.axes();
  const auto remaps = [&](size_t i) {
    if (realize == nullptr) return false;
    const bool kind = axes[i].type == IterType::kDataPar || axes[i].type == IterType::kCommReduce;
    const auto loop = kind ? loops_.find(realize->values()[i]) : loops_.end();
    return loop != loops_.end() && loop->second.min == block.axis_min(i) && loop->second.extent == block.axis_extent(i);
  };
  for (size_t i = 0; i < axes.size();) {
    size_t end = i;
    while (end < axes.size() && remaps(end)) ++end;
    Frame& frame = frames_.back();
    frame.line_start = out_.size();
    if (end - i >= 2) {
      std::string names, kinds;
      part_.clear();
      for (; i < end; ++i) {
        names += (names.empty() ? "" : ", ") + VarName(axes[i].var, frame);
        kinds += axes[i].type == IterType::kDataPar ? 'S' : 'R';
        if (!part_.empty()) part_ += ", ";
        Expr(realize->values()[i], part_);
      }
      Line(indent, Concat(names, " = T.axis.remap(\"", kinds, "\", [", part_, "])"));
      continue;
    }
    const char* kind = "spatial";
    switch (axes[i].type) {
      case IterType::kDataPar: break;
      case IterType::kCommReduce: kind = "reduce"; break;
      case IterType::kOrdered: kind = "scan"; break;
      default: kind = "opaque"; break;
    }
    part_.clear();
    const PrimExpr min = block.axis_min(i);
    const PrimExpr extent = block.axis_extent(i);
    if (terms_.IsInt(min, 0)) {
      Expr(extent, part_);
    } else {
      part_ += '(';
      Expr(min, part_);
      part_ += ", ";
      Expr(arith::Add(terms_, min, extent), part_);
      part_ += ')';
    }
    if (realize != nullptr) {
      part_ += ", ";
      Expr(realize->values()[i], part_);
    }
    line_ = VarName(axes[i].var, frames_.back());
    Line(indent, line_.append(" = T.axis.").append(kind).append("(").append(part_).append(")"));
    ++i;
  }
}

}  // namespace relayopt::tir
