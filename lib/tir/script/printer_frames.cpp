// Frames: where definitions go, and when their names are free again.
#include <algorithm>

#include "lib/tir/script/printer_state.h"

namespace relayopt::tir {

void Printer::OpenFrame(StmtId owner, uint32_t indent, bool waits) {
  Frame& frame = frames_.emplace_back();
  frame.owner = owner;
  frame.indent = indent;
  frame.waits = waits;
  frame.line_start = out_.size();
}

// Called when the header of the innermost frame is complete: pending definitions are printed at the beginning of its
// body.
void Printer::StartBody() {
  Frame& frame = frames_.back();
  frame.waits = false;
  out_ += frame.waiting;
  frame.waiting.clear();
  frame.line_start = out_.size();
}

void Printer::CloseFrame() {
  Frame& frame = frames_.back();
  for (const PrimExpr var : frame.vars) vars_.erase(var);
  for (const BufferId buffer : frame.buffers) buffers_.erase(buffer);
  for (const std::string_view name : frame.names) names_.Release(name);
  frames_.pop_back();
}

auto Printer::placement() -> const Placement& {
  if (!placement_) placement_.emplace(*func_);
  return *placement_;
}

// The innermost open frame whose statement contains `place`; of several that belong to one statement, the outermost.
auto Printer::FrameFor(StmtId place) -> Frame& {
  const auto holds = [&](const Frame& frame) {
    return !frame.owner || (place && func_->stmts().Contains(frame.owner, place));
  };
  // These frames are the outer ones.
  auto end = std::partition_point(frames_.begin(), frames_.end(), holds);
  auto found = end - 1;
  while (found != frames_.begin() && (found - 1)->owner == found->owner) --found;
  return *found;
}

void Printer::Line(uint32_t indent, std::string_view text) {
  out_.append(indent, ' ');
  out_ += text;
  out_ += '\n';
}

// Adds a line to a frame, before the line that is under construction in it.
void Printer::AddLine(Frame& frame, std::string_view text) {
  if (alone_) return;
  if (frame.waits) {
    frame.waiting.append(frame.indent, ' ');
    frame.waiting += text;
    frame.waiting += '\n';
    return;
  }
  if (frame.line_start == out_.size()) {
    Line(frame.indent, text);
    // Frames inside whose lines begin here as well come after it.
    for (Frame& inner : frames_) {
      if (&inner >= &frame && !inner.waits) inner.line_start = out_.size();
    }
    return;
  }
  insertions_.push_back({frame.line_start, Concat(std::string(frame.indent, ' '), text, "\n")});
}

auto Printer::DefineVar(PrimExpr var, Frame& frame) -> std::string_view {
  const std::string_view hint = context_.text(terms_.var(var).name);
  const std::string_view name = names_.Take(hint.empty() ? "v" : hint);
  frame.names.push_back(name);
  frame.vars.push_back(var);
  vars_[var] = {name};
  return name;
}

void Printer::DefineField(PrimExpr var, Frame& frame, VarText text) {
  frame.vars.push_back(var);
  vars_[var] = text;
}

auto Printer::DefineBuffer(BufferId buffer, Frame& frame) -> std::string_view {
  const std::string_view hint = context_.text(tables_.buffer(buffer).name);
  const std::string_view name = names_.Take(hint.empty() ? "buffer" : hint);
  frame.names.push_back(name);
  frame.buffers.push_back(buffer);
  buffers_[buffer] = name;
  return name;
}

auto Printer::BufferName(BufferId buffer) -> std::string_view {
  auto found = buffers_.find(buffer);
  if (found == buffers_.end()) {
    DeclareBuffer(buffer);
    found = buffers_.find(buffer);
  }
  return found->second;
}

auto Printer::VarCreation(PrimExpr var) -> std::string {
  const VarType& type = terms_.var(var).type;
  const bool size_var = terms_.kind(var) == PrimKind::kSizeVar;
  uses_t_ = true;
  if (type.kind == VarType::Kind::kPointer) {
    TextBuilder out;
    TypeText(type, out);
    if (size_var) {
      out.pop_back();
      out += ", is_size_var=True)";
    }
    return std::string(out.view());
  }
  const std::string dtype = ToString(terms_.dtype(var));
  return "T." + (dtype.empty() ? std::string("void") : dtype) + (size_var ? "(is_size_var=True)" : "()");
}

void Printer::DeclareVar(PrimExpr var) {
  Frame& frame = FrameFor(func_ != nullptr ? placement().of_var(var) : StmtId());
  const std::string_view name = DefineVar(var, frame);
  AddLine(frame, Concat(name, " = ", VarCreation(var)));
}

void Printer::DeclareBuffer(BufferId buffer) {
  Frame& frame = FrameFor(func_ != nullptr ? placement().of_buffer(buffer) : StmtId());
  const size_t at = static_cast<size_t>(&frame - frames_.data());
  const std::string_view name = DefineBuffer(buffer, frame);
  uses_t_ = true;
  const BufferText text = BufferAttrs(buffer, frames_[at], InlineData::kYes);
  BufferLine(frames_[at], text, Concat(name, " = T.Buffer(", text.args, ")"));
}

// The definitions that a buffer needs, and then its line.
void Printer::BufferLine(Frame& frame, const BufferText& text, std::string_view line) {
  if (!text.lhs.empty()) {
    std::string lhs, rhs;
    for (size_t i = 0; i < text.lhs.size(); ++i) {
      lhs += (i > 0 ? ", " : "") + text.lhs[i];
      rhs += (i > 0 ? ", " : "") + text.rhs[i];
    }
    AddLine(frame, Concat(lhs, " = ", rhs));
  }
  AddLine(frame, line);
}

auto Printer::IsNewVar(PrimExpr e) -> bool { return terms_.is_var(e) && !IsDefined(e); }

// Frames are named by their position here, because definitions may move them.
void Printer::DefineBefore(PrimExpr var, size_t frame, BufferText& text) {
  text.lhs.emplace_back(DefineVar(var, frames_[frame]));
  text.rhs.push_back(VarCreation(var));
}

// How often a variable occurs in the fields of a buffer.
auto Printer::UsesInFields(const Buffer& buffer, PrimExpr var) -> size_t {
  size_t count = 0;
  std::vector<PrimExpr>& stack = walked_;
  stack.assign({buffer.elem_offset, buffer.data});
  stack.insert(stack.end(), buffer.strides.begin(), buffer.strides.end());
  stack.insert(stack.end(), buffer.shape.begin(), buffer.shape.end());
  while (!stack.empty()) {
    const PrimExpr top = stack.back();
    stack.pop_back();
    if (top == var) ++count;
    const auto operands = terms_.operands(top);
    stack.insert(stack.end(), operands.begin(), operands.end());
  }
  return count;
}

auto Printer::BufferAttrs(BufferId id, Frame& frame_ref, InlineData inline_data, bool skip_default_dtype)
    -> BufferText {
  const Buffer& buffer = tables_.buffer(id);
  const size_t frame = static_cast<size_t>(&frame_ref - frames_.data());
  BufferText text;
  TextBuilder& args = text.args;
  for (const PrimExpr extent : buffer.shape) {
    if (IsNewVar(extent)) DefineBefore(extent, frame, text);
    // Parts of the extents that are not defined get lines of their own.
    NeedAll(extent);
  }
  Tuple(buffer.shape, args);
  if (!skip_default_dtype || buffer.dtype != DataType::Float(32)) {
    args += ", ";
    AppendQuoted(args, ToString(buffer.dtype));
  }
  const bool new_data = IsNewVar(buffer.data);
  if (new_data && inline_data == InlineData::kYes && UsesInFields(buffer, buffer.data) == 1) {
    DefineField(buffer.data, frames_[frame], {{}, VarText::Kind::kData, id});
  } else {
    if (new_data) DefineBefore(buffer.data, frame, text);
    args += ", data=";
    Expr(buffer.data, args);
  }
  if (!buffer.strides.empty()) StridesText(id, frame, text);
  const bool needs_factor = OffsetText(id, frame, text);
  if (const std::string_view scope = tables_.Scope(id); scope != "global") {
    args += ", scope=";
    AppendQuoted(args, scope);
  }
  if (buffer.data_alignment != 64) args += ", align=" + std::to_string(buffer.data_alignment);
  if (buffer.offset_factor != 1 || needs_factor) args += ", offset_factor=" + std::to_string(buffer.offset_factor);
  if (buffer.type == BufferType::kAutoBroadcast) args += ", buffer_type=\"auto\"";
  if (!buffer.axis_separators.empty()) {
    args += ", axis_separators=[";
    for (size_t i = 0; i < buffer.axis_separators.size(); ++i) {
      args += (i > 0 ? ", " : "") + std::to_string(buffer.axis_separators[i]);
    }
    args += ']';
  }
  return text;
}

void Printer::StridesText(BufferId id, size_t frame, BufferText& text) {
  const Buffer& buffer = tables_.buffer(id);
  TextBuilder strides;
  for (size_t i = 0; i < buffer.strides.size(); ++i) {
    if (i > 0) strides += ", ";
    const PrimExpr stride = buffer.strides[i];
    if (IsNewVar(stride)) {
      if (UsesInFields(buffer, stride) == 1) {
        AppendQuoted(strides, context_.text(terms_.var(stride).name));
        DefineField(stride, frames_[frame], {{}, VarText::Kind::kStride, id, static_cast<uint32_t>(i)});
        continue;
      }
      DefineBefore(stride, frame, text);
    }
    Expr(stride, strides);
  }
  text.args.append(", strides=(").append(strides).append(buffer.strides.size() == 1 ? ",)" : ")");
}

// Whether the factor of the offset must be printed, because it defines the offset.
auto Printer::OffsetText(BufferId id, size_t frame, BufferText& text) -> bool {
  const Buffer& buffer = tables_.buffer(id);
  if (IsNewVar(buffer.elem_offset)) {
    if (UsesInFields(buffer, buffer.elem_offset) == 1) {
      DefineField(buffer.elem_offset, frames_[frame], {{}, VarText::Kind::kElemOffset, id});
      return true;
    }
    // As TVM: defined, but not printed.
    DefineBefore(buffer.elem_offset, frame, text);
  } else if (!terms_.IsInt(buffer.elem_offset, 0)) {
    text.args += ", elem_offset=";
    Expr(buffer.elem_offset, text.args);
  }
  return false;
}

auto Printer::AllDefined(std::span<const PrimExpr> exprs) -> bool {
  std::vector<PrimExpr>& stack = walked_;
  stack.assign(exprs.begin(), exprs.end());
  while (!stack.empty()) {
    const PrimExpr top = stack.back();
    stack.pop_back();
    const PrimKind kind = terms_.kind(top);
    if (arith::IsVarKind(kind) && !IsDefined(top)) return false;
    if (kind == PrimKind::kBufferLoad && !buffers_.contains(terms_.buffer(top))) return false;
    const auto operands = terms_.operands(top);
    stack.insert(stack.end(), operands.begin(), operands.end());
  }
  return true;
}

// Declares the undefined variables and buffers in an expression, in the order in which TVM visits it: of a
// Let first the value, then the variable, then the body.
void Printer::NeedAll(PrimExpr expr) {
  if (terms_.AsInt(expr)) return;
  std::vector<PrimExpr> stack = {expr};
  while (!stack.empty()) {
    const PrimExpr top = stack.back();
    stack.pop_back();
    const PrimKind kind = terms_.kind(top);
    const auto operands = terms_.operands(top);
    if (arith::IsVarKind(kind)) {
      NeedVar(top);
    } else if (kind == PrimKind::kLet) {
      named_lets_.insert(top);
      stack.push_back(operands[2]);
      stack.push_back(operands[0]);
      stack.push_back(operands[1]);
    } else {
      if (kind == PrimKind::kBufferLoad) NeedBuffer(terms_.buffer(top));
      stack.insert(stack.end(), operands.rbegin(), operands.rend());
    }
  }
}

// Placement.

Placement::Placement(const PrimFunc& func)
    : func_(func), terms_(func.terms()), tables_(func.tables()), parents_(Parents(func.stmts())) {
  Walk();
}

// Shortens the position of an object to the common scope with `at_`; returns whether it was met for the first time.
template <typename Map, typename Key>
auto Placement::Cut(Map& map, Key key) -> bool {
  const auto [found, is_new] = map.try_emplace(key, at_);
  if (is_new) return true;
  StmtId& place = found->second;
  if (!at_) place = StmtId();
  while (place && !func_.stmts().Contains(place, at_)) place = parents_[place];
  return false;
}

void Placement::Walk() {
  for (const PrimExpr param : func_.params()) Cut(vars_, param);
  // As TVM: of a block the body comes before the init.
  std::vector<StmtId> stack = {func_.body().id()};
  // Called after the parts of a statement.
  while (!stack.empty()) {
    at_ = stack.back();
    stack.pop_back();
    const Stmt stmt = func_.stmt(at_);
    AtStmt(stmt);
    const auto parts = stmt.parts();
    if (stmt.is(StmtKind::kBlock))
      stack.insert(stack.end(), parts.begin(), parts.end());
    else
      stack.insert(stack.end(), parts.rbegin(), parts.rend());
  }
  at_ = StmtId();
  for (const BufferBinding& binding : func_.buffer_map()) {
    Cut(vars_, binding.param);
    AtBuffer(binding.buffer);
  }
}

void Placement::AtStmt(Stmt stmt) {
  switch (stmt.kind()) {
    case StmtKind::kLet: Cut(vars_, LetStmt(stmt).var()); break;
    case StmtKind::kAllocate: Cut(vars_, Allocate(stmt).buffer_var()); break;
    case StmtKind::kAllocateConst: Cut(vars_, AllocateConst(stmt).buffer_var()); break;
    case StmtKind::kFor: Cut(vars_, For(stmt).loop_var()); break;
    case StmtKind::kStore: AtBuffer(BufferStore(stmt).buffer()); break;
    case StmtKind::kRealize: AtBuffer(BufferRealize(stmt).buffer()); break;
    case StmtKind::kDeclBuffer: AtBuffer(DeclBuffer(stmt).buffer()); break;
    case StmtKind::kPrefetch: AtBuffer(Prefetch(stmt).buffer()); break;
    case StmtKind::kAttr: {
      const AttrNode node = AttrStmt(stmt).node();
      if (node.expr()) AtExpr(node.expr());
      if (node.buffer()) AtBuffer(node.buffer());
      if (node.iter_var()) AtIterVar(node.iter_var());
      break;
    }
    case StmtKind::kBlock: {
      const Block block(stmt);
      for (const BlockAxis& axis : block.axes()) Cut(vars_, axis.var);
      for (const auto* regions : {&block.info().reads, &block.info().writes}) {
        for (const BlockRegion& region : *regions) {
          AtBuffer(region.buffer);
          AtBounds(block.bounds(region));
        }
      }
      for (const BufferId buffer : block.alloc_buffers()) AtBuffer(buffer);
      for (const BlockMatch& match : block.match_buffers()) {
        AtBuffer(match.buffer);
        AtBuffer(match.source.buffer);
      }
      break;
    }
    default: break;
  }
  for (const PrimExpr expr : stmt.exprs()) AtExpr(expr);
}

void Placement::AtBounds(Bounds bounds) {
  for (const PrimExpr expr : bounds) AtExpr(expr);
}

void Placement::AtIterVar(IterVarId iter) {
  if (!iter_vars_.insert(iter).second) return;
  const IterVar& var = tables_.iter_var(iter);
  if (var.domain.min) {
    AtExpr(var.domain.min);
    AtExpr(var.domain.extent);
  }
  Cut(vars_, var.var);
}

void Placement::AtBuffer(BufferId id) {
  if (!Cut(buffers_, id)) return;
  // The content of a buffer is placed by the first occurrence of the buffer only.
  const Buffer& buffer = tables_.buffer(id);
  AtExpr(buffer.data);
  for (const PrimExpr extent : buffer.shape) AtExpr(extent);
  for (const PrimExpr stride : buffer.strides) AtExpr(stride);
  AtExpr(buffer.elem_offset);
}

void Placement::AtExpr(PrimExpr expr) {
  const size_t bottom = stack_.size();
  stack_.push_back(expr);
  while (stack_.size() > bottom) {
    const PrimExpr top = stack_.back();
    stack_.pop_back();
    if (terms_.is_var(top)) {
      Cut(vars_, top);
      continue;
    }
    const auto operands = terms_.operands(top);
    const bool load = terms_.kind(top) == PrimKind::kBufferLoad;
    if (operands.empty() && !load) continue;
    // A subterm that occurs twice in a statement is visited once.
    const auto [found, is_new] = walked_.try_emplace(top, at_);
    if (!is_new && found->second == at_) continue;
    found->second = at_;
    if (load) AtBuffer(terms_.buffer(top));
    stack_.insert(stack_.end(), operands.rbegin(), operands.rend());
  }
}

}  // namespace relayopt::tir
