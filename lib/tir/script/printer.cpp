// Printing modules and functions.
#include <algorithm>
#include <utility>

#include "lib/tir/script/printer_state.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/id_set.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

constexpr uint32_t kFunctionIndent = 4;

}  // namespace

Printer::Printer(Context& context, std::string_view class_name)
    : context_(context), terms_(context.Part<Terms>()), tables_(context.Part<Tables>()), class_name_(class_name) {}

auto PrintScript(const ScriptModule& module, Context& context, const ScriptOptions& options) -> std::string {
  return Printer(context, options.class_name).Module(module);
}

auto PrintScript(const PrimFunc& function, std::string_view name) -> std::string {
  return Printer(function.context(), "Module").Function(function, name);
}

auto PrintExpr(Context& context, PrimExpr expr) -> std::string { return Printer(context, "Module").Expression(expr); }

auto Printer::Module(const ScriptModule& module) -> std::string {
  std::vector<const ScriptFunction*> functions;
  for (const ScriptFunction& function : module.functions) {
    functions.push_back(&function);
    globals_.insert(function.name);
  }
  // As TVM: by name, and `main` last.
  const auto precedes = [&](const ScriptFunction* a, const ScriptFunction* b) {
    const std::string_view x = context_.text(a->name);
    const std::string_view y = context_.text(b->name);
    if ((x == "main") != (y == "main")) return y == "main";
    return x < y;
  };
  // Mostly they are.
  if (!std::is_sorted(functions.begin(), functions.end(), precedes)) {
    std::sort(functions.begin(), functions.end(), precedes);
  }
  names_.Take(class_name_);
  out_.append("@I.ir_module\nclass ").append(class_name_).append(":\n");
  if (!module.attrs.empty()) {
    OpenFrame({}, kFunctionIndent);
    line_ = "I.module_attrs(";
    AttrsText(module.attrs, line_);
    Line(kFunctionIndent, line_ += ')');
    CloseFrame();
  }
  for (const ScriptFunction* function : functions) {
    FunctionLines(*function->function, context_.text(function->name), kFunctionIndent);
    out_ += '\n';
  }
  if (module.attrs.empty() && functions.empty()) Line(kFunctionIndent, "pass");
  return Finish();
}

auto Printer::Function(const PrimFunc& func, std::string_view name) -> std::string {
  FunctionLines(func, name, 0);
  return Finish();
}

auto Printer::Expression(PrimExpr expr) -> std::string {
  alone_ = true;
  OpenFrame({}, 0);
  TextBuilder out;
  Expr(expr, out);
  CloseFrame();
  return std::string(out.view());
}

// Puts insertions at their positions, the header before and the note on metadata after.
auto Printer::Finish() -> std::string {
  std::string text = "# from tvm.script import ir as I\n";
  if (uses_t_) text += "# from tvm.script import tir as T\n";
  text += '\n';
  std::stable_sort(insertions_.begin(), insertions_.end(),
                   [](const Insertion& a, const Insertion& b) { return a.at < b.at; });
  const std::string_view body = out_;
  text.reserve(text.size() + body.size());
  size_t done = 0;
  for (const Insertion& insertion : insertions_) {
    text.append(body, done, insertion.at - done);
    text += insertion.text;
    done = insertion.at;
  }
  text.append(body, done);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (!metadata_.empty()) {
    text += "\n\n# Metadata omitted. Use show_meta=True in script() method to show it.";
  }
  return text;
}

// Notes which handles of the buffer map are used elsewhere.
void Printer::CountParamUses(const PrimFunc& func) {
  used_params_.clear();
  param_buffers_ = ParamBuffers(func);
  shared_data_.clear();
  if (func.buffer_map().empty()) return;
  absl::flat_hash_map<PrimExpr, BufferId> buffer_at;
  bool may_be_operands = false;
  for (const BufferBinding& binding : func.buffer_map()) {
    may_be_operands = may_be_operands || !arith::IsHandle(terms_.dtype(binding.param)) || terms_.is_used(binding.param);
    const PrimExpr data = tables_.buffer(binding.buffer).data;
    if (buffer_at.try_emplace(data, binding.buffer).first->second != binding.buffer) shared_data_.insert(data);
  }
  if (may_be_operands) return CountUsesInside(func);
  // They are handles, as few expressions of statements are.
  const auto see = [&](PrimExpr expr) {
    if (arith::IsHandle(terms_.dtype(expr)) && terms_.is_var(expr) && param_buffers_[expr]) used_params_.insert(expr);
  };
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const Stmt stmt = func.stmt(id);
    if (const auto attr = stmt.As<AttrStmt>(); attr && attr->node().expr()) see(attr->node().expr());
    for (const PrimExpr expr : stmt.exprs()) see(expr);
  }
}

// The same for parameters that may be operands of expressions, or fields of buffers.
void Printer::CountUsesInside(const PrimFunc& func) {
  TermVisitor visitor(terms_);
  IdSet<BufferId> seen;
  std::vector<BufferId> pending;
  const auto see_buffer = [&](BufferId id) {
    if (seen.Insert(id)) pending.push_back(id);
  };
  const auto see = [&](PrimExpr expr) {
    visitor.Visit(expr, [&](PrimExpr term) {
      const PrimKind kind = terms_.kind(term);
      if (kind == PrimKind::kBufferLoad) see_buffer(terms_.buffer(term));
      if (arith::IsVarKind(kind) && param_buffers_[term]) used_params_.insert(term);
    });
  };
  for (const BufferBinding& binding : func.buffer_map()) see_buffer(binding.buffer);
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const Stmt stmt = func.stmt(id);
    if (const auto store = stmt.As<BufferStore>()) see_buffer(store->buffer());
    if (const auto decl = stmt.As<DeclBuffer>()) see_buffer(decl->buffer());
    if (const auto attr = stmt.As<AttrStmt>(); attr && attr->node().expr()) see(attr->node().expr());
    for (const PrimExpr expr : stmt.exprs()) see(expr);
  }
  while (!pending.empty()) {
    const Buffer& buffer = tables_.buffer(pending.back());
    pending.pop_back();
    for (const PrimExpr field : {buffer.data, buffer.elem_offset}) see(field);
    for (const PrimExpr extent : buffer.shape) see(extent);
    for (const PrimExpr stride : buffer.strides) see(stride);
  }
}

// Whether a parameter may be written `A: T.Buffer(...)`.
auto Printer::IsSimple(const BufferBinding& binding) -> bool {
  if (used_params_.contains(binding.param)) return false;
  const Buffer& buffer = tables_.buffer(binding.buffer);
  const auto literal = [&](PrimExpr e) {
    return terms_.AsInt(e) || !arith::UsesVar(terms_, e, [](PrimExpr) { return true; });
  };
  const bool simple = buffer.strides.empty() && std::all_of(buffer.shape.begin(), buffer.shape.end(), literal) &&
                      literal(buffer.elem_offset) &&
                      (terms_.kind(buffer.elem_offset) != PrimKind::kIntImm || terms_.IsInt(buffer.elem_offset, 0)) &&
                      tables_.Scope(binding.buffer) == "global" && buffer.data_alignment == 64 &&
                      buffer.offset_factor == 1 && buffer.type == BufferType::kDefault &&
                      buffer.axis_separators.empty();
  return simple && !shared_data_.contains(buffer.data);
}

void Printer::Params(const PrimFunc& func, TextBuilder& out) {
  bool is_first = true;
  for (const PrimExpr param : func.params()) {
    if (!std::exchange(is_first, false)) out += ", ";
    const BufferId buffer = param_buffers_[param];
    if (buffer && IsSimple({param, buffer})) {
      out += DefineBuffer(buffer, frames_.back());
      out += ": T.Buffer(";
      out += BufferAttrs(buffer, frames_.back(), InlineData::kYes, false).args;
      out += ')';
      continue;
    }
    out += DefineVar(param, frames_.back());
    out += ": ";
    TypeText(terms_.var(param).type, out);
  }
}

// Returns the root block if the reader would create it implicitly.
auto Printer::RootBlock(const PrimFunc& func) -> std::optional<Stmt> {
  const auto realize = func.body().As<BlockRealize>();
  if (!realize || !realize->values().empty() || !terms_.IsInt(realize->predicate(), 1)) return std::nullopt;
  const Block block = realize->block();
  if (block.annotations() || !block.match_buffers().empty() || !block.reads().empty() || !block.writes().empty() ||
      block.has_init() || !block.axes().empty()) {
    return std::nullopt;
  }
  if (!block.alloc_buffers().empty()) return block;
  if (const auto inner = block.body().As<BlockRealize>()) {
    if (inner->block().axes().empty()) return std::nullopt;
    return block;
  }
  // Anything that contains a block: the statements inside are those before the block.
  for (StmtId id = func.stmts().first(block.id()); id < block.id(); ++id) {
    if (func.stmts().kind(id) == StmtKind::kBlockRealize) return block;
  }
  return std::nullopt;
}

void Printer::FunctionLines(const PrimFunc& func, std::string_view name, uint32_t indent) {
  func_ = &func;
  placement_.reset();
  named_lets_.clear();
  uses_t_ = true;
  CountParamUses(func);
  const uint32_t inner = indent + kFunctionIndent;
  const ObjectId symbol = func.FindAttr("global_symbol");
  Line(indent, symbol ? "@T.prim_func" : "@T.prim_func(private=True)");
  OpenFrame({}, inner, true);
  line_ = "def ";
  line_.append(name).append("(");
  Params(func, line_);
  line_ += ')';
  const bool returns = func.ret_type().kind != VarType::Kind::kTuple;
  if (returns) {
    line_ += " -> ";
    TypeText(func.ret_type(), line_);
  }
  Line(indent, line_ += ':');
  StartBody();
  const bool implied = symbol && context_.object(symbol).kind == ObjectKind::kString &&
                       context_.text(context_.object(symbol).text) == name;
  std::vector<DictAttr> attrs;
  for (const DictAttr& attr : func.attrs()) {
    if (!implied || context_.text(attr.key) != "global_symbol") attrs.push_back({attr.key, attr.value});
  }
  if (!attrs.empty()) {
    line_ = "T.func_attr(";
    AttrsText(attrs, line_);
    Line(inner, line_ += ')');
  }
  for (const PrimExpr param : func.params()) {
    const BufferId buffer = param_buffers_[param];
    if (!buffer || buffers_.contains(buffer)) continue;
    Frame& frame = frames_.back();
    frame.line_start = out_.size();
    const std::string made(DefineBuffer(buffer, frame));
    const BufferText text = BufferAttrs(buffer, frame, InlineData::kYes);
    part_.clear();
    VarOut(param, part_);
    BufferLine(frame, text, Concat(made, " = T.match_buffer(", part_, ", ", text.args, ")"));
  }
  Stmt body = func.body();
  if (const auto root = RootBlock(func)) {
    Line(inner, "# with T.block(\"root\"):");
    const Block block(*root);
    for (const BufferId buffer : block.alloc_buffers()) AllocBufferLine(buffer);
    body = block.body();
  }
  Body(body, inner);
  CloseFrame();
  func_ = nullptr;
}

}  // namespace relayopt::tir
