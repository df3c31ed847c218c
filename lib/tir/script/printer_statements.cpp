// Printing statements, with a stack of what is still to be done.
#include <algorithm>
#include <cstring>

#include "lib/tir/script/printer_state.h"

namespace relayopt::tir {

void Printer::Body(Stmt root, uint32_t indent) {
  const size_t bottom = steps_.size();
  PushBody(root, indent);
  while (steps_.size() > bottom) {
    const Step step = steps_.back();
    steps_.pop_back();
    switch (step.kind) {
      case Step::Kind::kStatement:
        frames_.back().line_start = out_.size();
        Statement(func_->stmt(step.stmt), step.concise, step.indent);
        break;
      case Step::Kind::kBody: PushBody(func_->stmt(step.stmt), step.indent); break;
      case Step::Kind::kOpen: OpenFrame(step.stmt, step.indent); break;
      case Step::Kind::kClose: CloseFrame(); break;
      case Step::Kind::kCloseLoops:
        for (const PrimExpr var : frames_.back().vars) loops_.erase(var);
        CloseFrame();
        break;
      case Step::Kind::kElse: Line(step.indent, "else:"); break;
      case Step::Kind::kElseIf: IfLines(IfThenElse(func_->stmt(step.stmt)), "elif ", step.indent); break;
      case Step::Kind::kInit: Line(step.indent, "with T.init():"); break;
    }
  }
}

// The statements of a body: only the last one may be written without a block of its own.
void Printer::PushBody(Stmt body, uint32_t indent) {
  if (!body.is(StmtKind::kSeq)) return Push({Step::Kind::kStatement, true, indent, body.id()});
  const auto parts = body.parts();
  for (size_t i = parts.size(); i-- > 0;) Push({Step::Kind::kStatement, i + 1 == parts.size(), indent, parts[i]});
}

void Printer::Statement(Stmt stmt, bool concise, uint32_t indent) {
  switch (stmt.kind()) {
    case StmtKind::kLet: return LetLines(LetStmt(stmt), concise, indent);
    case StmtKind::kAttr: return AttrLines(AttrStmt(stmt), concise, indent);
    case StmtKind::kAssert: return AssertLines(AssertStmt(stmt), concise, indent);
    case StmtKind::kStore: return StoreLine(BufferStore(stmt), indent);
    case StmtKind::kRealize: return RealizeLines(BufferRealize(stmt), concise, indent);
    case StmtKind::kAllocate: return AllocateLines(Allocate(stmt), concise, indent);
    case StmtKind::kAllocateConst: return ConstantLines(AllocateConst(stmt), concise, indent);
    case StmtKind::kDeclBuffer: return DeclLines(DeclBuffer(stmt), stmt.id(), InlineData::kNo, concise, indent);
    case StmtKind::kSeq: return PushBody(stmt, indent);
    case StmtKind::kEvaluate: return EvaluateLine(Evaluate(stmt), indent);
    case StmtKind::kIf: return IfLines(IfThenElse(stmt), "if ", indent);
    case StmtKind::kFor: return ForLines(For(stmt), indent);
    case StmtKind::kWhile: return WhileLines(While(stmt), indent);
    case StmtKind::kPrefetch: return PrefetchLine(Prefetch(stmt), indent);
    case StmtKind::kBlock: return BlockLines(Block(stmt), nullptr, indent);
    case StmtKind::kBlockRealize: {
      const BlockRealize realize(stmt);
      return BlockLines(realize.block(), &realize, indent);
    }
  }
}

void Printer::AssertLines(const AssertStmt& assertion, bool concise, uint32_t indent) {
  line_ = concise ? "assert " : "T.Assert(";
  Expr(assertion.condition(), line_);
  line_ += ", ";
  Expr(assertion.message(), line_);
  if (!concise) line_ += ')';
  OpenFrame(assertion.id(), concise ? indent : indent + kIndent);
  if (!concise) uses_t_ = true;
  Wrap(assertion.body(), concise, indent, "", line_);
}

void Printer::RealizeLines(const BufferRealize& realize, bool concise, uint32_t indent) {
  line_ = "T.realize(";
  Region(realize.buffer(), realize.bounds(), line_, false);
  if (!terms_.IsInt(realize.condition(), 1)) {
    line_ += ", condition=";
    Expr(realize.condition(), line_);
  }
  OpenFrame(realize.id(), concise ? indent : indent + kIndent);
  Wrap(realize.body(), concise, indent, "", line_ += ')');
}

void Printer::EvaluateLine(const Evaluate& stmt, uint32_t indent) {
  const PrimExpr value = stmt.value();
  const bool call = terms_.kind(value) == PrimKind::kCall;
  line_ = call ? "" : "T.evaluate(";
  Expr(value, line_);
  if (!call) line_ += ')';
  uses_t_ = true;
  Line(indent, line_);
}

// As TVM, a branch in an `else:` is indented as its body. Python reads at most 99 levels of indentation: where a
// further branch exceeds that, it is an `elif`, and a chain of any length has a text of linear size.
void Printer::IfLines(const IfThenElse& branch, std::string_view keyword, uint32_t indent) {
  constexpr uint32_t kDeepestLevel = 99;
  line_ = keyword;
  Expr(branch.condition(), line_);
  line_ += ':';
  Line(indent, line_);
  if (branch.has_else() && branch.else_case().is(StmtKind::kIf) && indent / kIndent + 2 > kDeepestLevel) {
    Push({Step::Kind::kElseIf, false, indent, branch.else_case().id()});
  } else if (branch.has_else()) {
    Push({Step::Kind::kClose});
    Push({Step::Kind::kBody, false, indent + kIndent, branch.else_case().id()});
    Push({Step::Kind::kOpen, false, indent + kIndent, branch.else_case().id()});
    Push({Step::Kind::kElse, false, indent, {}});
  }
  Push({Step::Kind::kClose});
  Push({Step::Kind::kBody, false, indent + kIndent, branch.then_case().id()});
  Push({Step::Kind::kOpen, false, indent + kIndent, branch.then_case().id()});
}

void Printer::WhileLines(const While& loop, uint32_t indent) {
  line_ = "while ";
  Expr(loop.condition(), line_);
  Line(indent, line_ += ':');
  OpenFrame(loop.id(), indent + kIndent);
  Push({Step::Kind::kClose});
  Push({Step::Kind::kBody, false, indent + kIndent, loop.body().id()});
}

void Printer::PrefetchLine(const Prefetch& prefetch, uint32_t indent) {
  uses_t_ = true;
  const std::string_view name = BufferName(prefetch.buffer());
  line_ = "T.prefetch(";
  line_.append(name).append(", [");
  const Bounds bounds = prefetch.bounds();
  for (size_t i = 0; i < bounds.size(); i += 2) {
    line_ += i > 0 ? ", T.Range(" : "T.Range(";
    Exprs(bounds.subspan(i, 2), line_);
    line_ += ')';
  }
  Line(indent, line_ += "])");
}

// The frame of the statement is open already.
void Printer::Wrap(Stmt body, bool concise, uint32_t indent, std::string_view name, std::string_view text) {
  out_.append(indent, ' ');
  if (concise) {
    if (!name.empty()) out_.append(name).append(" = ");
    out_.append(text);
  } else {
    out_.append("with ").append(text);
    if (!name.empty()) out_.append(" as ").append(name);
    out_ += ':';
    indent += kIndent;
  }
  out_ += '\n';
  StartBody();
  Push({Step::Kind::kClose});
  Push({Step::Kind::kBody, false, indent, body.id()});
}

// Returns the name of a variable that a statement defines: its name if it has one already, else a new one.
auto Printer::VarName(PrimExpr var, Frame& frame) -> std::string {
  if (!IsDefined(var)) return std::string(DefineVar(var, frame));
  TextBuilder name;
  VarOut(var, name);
  return std::string(name.view());
}

void Printer::LetLines(LetStmt let, bool concise, uint32_t indent) {
  const VarType& type = terms_.var(let.var()).type;
  // Printed first, because it may declare variables.
  part_.clear();
  Expr(let.value(), part_);
  if (IsDefined(let.var())) {
    uses_t_ = true;
    line_ = "T.LetStmt(";
    line_.append(part_).append(", var=");
    VarOut(let.var(), line_);
    OpenFrame(let.id(), indent + kIndent);
    return Wrap(let.body(), false, indent, "", line_ += ')');
  }
  OpenFrame(let.id(), concise ? indent : indent + kIndent);
  const std::string name(DefineVar(let.var(), frames_.back()));
  if (concise) {
    line_ = name;
    const bool typed = type.kind != VarType::Kind::kTuple && !terms_.dtype(let.var()).is_void();
    if (typed) {
      line_ += ": ";
      TypeText(type, line_);
    }
    return Wrap(let.body(), true, indent, "", line_.append(" = ").append(part_));
  }
  uses_t_ = true;
  line_ = "T.LetStmt(";
  line_ += part_;
  if (type.kind == VarType::Kind::kPointer) {
    line_ += ", ";
    TypeText(type, line_);
  }
  Wrap(let.body(), false, indent, name, line_ += ')');
}

// `T.launch_thread(X, extent)`; `defines` is the variable that the statement defines, if it does.
void Printer::ThreadText(AttrStmt attr, PrimExpr& defines, TextBuilder& line) {
  const IterVar& iter = tables_.iter_var(attr.node().iter_var());
  uses_t_ = true;
  line += "T.launch_thread(";
  std::string tag;
  AppendQuoted(tag, context_.text(iter.thread_tag));
  if (IsDefined(iter.var)) {
    VarOut(iter.var, line);
  } else if (const StmtId place = placement().of_var(iter.var); place && func_->stmts().Contains(attr.id(), place)) {
    line += tag;
    defines = iter.var;
  } else {
    Frame& frame = FrameFor(place);
    const std::string_view name = DefineVar(iter.var, frame);
    AddLine(frame, Concat(name, " = T.env_thread(", tag, ")"));
    line += name;
  }
  line += ", ";
  Expr(attr.value(), line);
  line += ')';
}

void Printer::AttrLines(AttrStmt attr, bool concise, uint32_t indent) {
  const std::string_view key = attr.key_text();
  uses_t_ = true;
  const uint32_t inner = concise ? indent : indent + kIndent;
  if (attr.node().iter_var() && (key == "thread_extent" || key == "virtual_thread")) {
    PrimExpr defines;
    line_.clear();
    ThreadText(attr, defines, line_);
    OpenFrame(attr.id(), inner);
    const std::string name = defines ? std::string(DefineVar(defines, frames_.back())) : "";
    return Wrap(attr.body(), concise, indent, name, line_);
  }
  if (const auto realize = attr.body().As<BufferRealize>();
      realize && key == "realize_scope" && attr.node().buffer() == realize->buffer()) {
    line_ = "T.realize(";
    Region(realize->buffer(), realize->bounds(), line_, false);
    line_ += ", ";
    Expr(attr.value(), line_);
    if (!terms_.IsInt(realize->condition(), 1)) {
      line_ += ", condition=";
      Expr(realize->condition(), line_);
    }
    OpenFrame(realize->id(), inner);
    return Wrap(realize->body(), concise, indent, "", line_ += ')');
  }
  line_ = "T.attr(";
  NodeText(attr.node(), line_);
  line_ += ", ";
  AppendQuoted(line_, key);
  line_ += ", ";
  Expr(attr.value(), line_);
  OpenFrame(attr.id(), inner);
  Wrap(attr.body(), concise, indent, "", line_ += ')');
}

void Printer::AllocateLines(Allocate alloc, bool concise, uint32_t indent) {
  uses_t_ = true;
  const bool plain = terms_.IsInt(alloc.condition(), 1) && !alloc.annotations();
  if (const auto decl = alloc.body().As<DeclBuffer>(); decl && plain && !IsDefined(alloc.buffer_var())) {
    const Buffer& buffer = tables_.buffer(decl->buffer());
    const auto extents = alloc.extents();
    if (buffer.data == alloc.buffer_var() && buffer.dtype == alloc.dtype() &&
        std::equal(extents.begin(), extents.end(), buffer.shape.begin(), buffer.shape.end())) {
      return DeclLines(*decl, decl->id(), InlineData::kYes, concise, indent);
    }
  }
  line_ = "T.allocate([";
  Exprs(alloc.extents(), line_);
  line_ += "], ";
  AppendQuoted(line_, ToString(alloc.dtype()));
  line_ += ", ";
  const VarType& type = terms_.var(alloc.buffer_var()).type;
  AppendQuoted(line_, type.kind == VarType::Kind::kPointer && type.scope ? context_.text(type.scope) : "global");
  if (!terms_.IsInt(alloc.condition(), 1)) {
    line_ += ", ";
    Expr(alloc.condition(), line_);
  }
  Annotations(alloc.annotations(), line_);
  const std::string name = VarName(alloc.buffer_var(), frames_.back());
  OpenFrame(alloc.id(), concise ? indent : indent + kIndent);
  Wrap(alloc.body(), concise, indent, name, line_ += ')');
}

void Printer::ConstantLines(AllocateConst constant, bool concise, uint32_t indent) {
  // As TVM: no more than these are printed.
  constexpr size_t kMostElements = 201;
  uses_t_ = true;
  line_ = "T.allocate_const([";
  if (constant.data()) {
    const Constant& data = context_.constant(constant.data());
    const auto bytes = data.Bytes();
    const DataType dtype = data.dtype();
    const size_t size = dtype.bytes();
    for (size_t i = 0; i < std::min(data.num_elements(), kMostElements); ++i) {
      if (i > 0) line_ += ", ";
      uint64_t bits = 0;
      std::memcpy(&bits, bytes->data() + i * size, std::min<size_t>(size, 8));
      if (dtype.code == TypeCode::kFloat && dtype.bits == 64) {
        line_ += ScriptFloat(std::bit_cast<double>(bits));
      } else if (dtype.code == TypeCode::kFloat && dtype.bits == 32) {
        line_ += ScriptFloat(std::bit_cast<float>(static_cast<uint32_t>(bits)));
      } else {
        // As TVM: of float16 the bits, as a signed number.
        DataType integer = dtype;
        integer.code = dtype.is_uint() ? TypeCode::kUInt : TypeCode::kInt;
        line_ += std::to_string(arith::WrapToType(integer, static_cast<int64_t>(bits)));
      }
    }
  }
  line_ += "], ";
  AppendQuoted(line_, ToString(constant.dtype()));
  line_ += ", [";
  Exprs(constant.extents(), line_);
  OpenFrame(constant.id(), concise ? indent : indent + kIndent);
  const std::string name = VarName(constant.buffer_var(), frames_.back());
  Wrap(constant.body(), concise, indent, name, line_ += "])");
}

void Printer::DeclLines(DeclBuffer decl, StmtId owner, InlineData inline_data, bool concise, uint32_t indent) {
  uses_t_ = true;
  Frame& outer = frames_.back();
  const BufferText text = BufferAttrs(decl.buffer(), outer, inline_data);
  if (!text.lhs.empty()) {
    std::string lhs, rhs;
    for (size_t i = 0; i < text.lhs.size(); ++i) {
      lhs += (i > 0 ? ", " : "") + text.lhs[i];
      rhs += (i > 0 ? ", " : "") + text.rhs[i];
    }
    AddLine(outer, Concat(lhs, " = ", rhs));
  }
  OpenFrame(owner, concise ? indent : indent + kIndent);
  const std::string name(DefineBuffer(decl.buffer(), frames_.back()));
  Wrap(decl.body(), concise, indent, name, Concat("T.decl_buffer(", text.args, ")"));
}

void Printer::StoreLine(BufferStore store, uint32_t indent) {
  NeedBuffer(store.buffer());
  // As TVM: the value is printed first.
  if (!AllDefined(store.indices())) NeedAll(store.value());
  line_.clear();
  Indices(store.buffer(), store.indices(), line_);
  line_ += " = ";
  Expr(store.value(), line_);
  Line(indent, line_);
}

// Returns the nest of plain loops from 0 that begins with `loop`, whose extents do not depend on each other.
auto Printer::PlainNest(For loop) -> LoopNest {
  LoopNest nest;
  for (For inner = loop;;) {
    const bool plain = inner.for_kind() == ForKind::kSerial && terms_.IsInt(inner.min(), 0) && !inner.annotations();
    const bool depends = plain && !nest.empty() && !AllOutside(nest, inner.extent());
    if (!plain || depends) break;
    nest.push_back(inner);
    const auto next = inner.body().As<For>();
    if (!next) break;
    inner = *next;
  }
  return nest;
}

void Printer::ForLines(For loop, uint32_t indent) {
  OpenFrame(loop.id(), indent + kIndent, true);
  const LoopNest nest = PlainNest(loop);
  if (nest.size() > 1) {
    uses_t_ = true;
    std::string names;
    part_.clear();
    for (const For& inner : nest) {
      if (!names.empty()) names += ", ";
      names += DefineLoop(inner);
      if (!part_.empty()) part_ += ", ";
      Expr(inner.extent(), part_);
    }
    line_.clear();
    Line(indent, line_.append("for ").append(names).append(" in T.grid(").append(part_).append("):"));
  } else {
    SingleForLine(loop, indent);
  }
  StartBody();
  Push({Step::Kind::kCloseLoops});
  Push({Step::Kind::kBody, false, indent + kIndent, (nest.size() > 1 ? nest.back() : loop).body().id()});
}

// Defines the variable of a loop, and returns its name.
auto Printer::DefineLoop(For loop) -> std::string {
  std::string name = VarName(loop.loop_var(), frames_.back());
  loops_[loop.loop_var()] = {loop.min(), loop.extent()};
  return name;
}

void Printer::SingleForLine(For loop, uint32_t indent) {
  std::string_view form = "range(";
  switch (loop.for_kind()) {
    case ForKind::kSerial: form = loop.annotations() ? "T.serial(" : "range("; break;
    case ForKind::kParallel: form = "T.parallel("; break;
    case ForKind::kVectorized: form = "T.vectorized("; break;
    case ForKind::kUnrolled: form = "T.unroll("; break;
    case ForKind::kThreadBinding: form = "T.thread_binding("; break;
  }
  if (form[0] == 'T') uses_t_ = true;
  line_ = "for ";
  line_.append(DefineLoop(loop)).append(" in ").append(form);
  if (terms_.IsInt(loop.min(), 0)) {
    Expr(loop.extent(), line_);
  } else {
    Expr(loop.min(), line_);
    line_ += ", ";
    Expr(arith::Add(terms_, loop.min(), loop.extent()), line_);
  }
  if (loop.for_kind() == ForKind::kThreadBinding) {
    line_ += ", thread=";
    AppendQuoted(line_, loop.thread_binding() ? context_.text(tables_.iter_var(loop.thread_binding()).thread_tag) : "");
  }
  Annotations(loop.annotations(), line_);
  Line(indent, line_ += "):");
}

auto Printer::AllOutside(std::span<const For> nest, PrimExpr expr) -> bool {
  if (terms_.kind(expr) == PrimKind::kIntImm) return true;
  std::vector<PrimExpr> stack = {expr};
  while (!stack.empty()) {
    const PrimExpr top = stack.back();
    stack.pop_back();
    for (const For& loop : nest) {
      if (loop.loop_var() == top) return false;
    }
    const auto operands = terms_.operands(top);
    stack.insert(stack.end(), operands.begin(), operands.end());
  }
  return true;
}

void Printer::Annotations(ObjectId annotations, TextBuilder& out) {
  if (!annotations) return;
  out += ", annotations=";
  ObjectText(annotations, out);
}

}  // namespace relayopt::tir
