// Prints a module: type definitions, functions and the metadata section.
#include "relayopt/relay/text/printer.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/relay/text/metadata/metadata_writer.h"
#include "printer_expr.h"
#include "printer_numbering.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr std::string_view kHeader = "#[version = \"0.0.5\"]\n";

// Two lines of this comment end in a space.
constexpr std::string_view kOmittedComment =
    "\n/* For debugging purposes the metadata section has been omitted.\n"
    " * If you would like to see the full metadata section you can set the \n"
    " * option to `True` when invoking `astext`. \n"
    " */";

// Prints the items of a module one after the other.
class ModulePrinter {
 public:
  ModulePrinter(const Module& module, const PrintOptions& options, TextSink& sink, PrintTrace* trace = nullptr)
      : module_(module), state_(module, options), buffer_(sink), out_(buffer_.text()), trace_(trace) {
    out_ += kHeader;
  }

  void PrintTypeDef(const TypeDef& type_def) {
    BeginItem();
    out_ += "type ";
    out_ += module_.context().text(type_def.name);
    AppendList(type_def.params, '[', ']');
    out_ += " {\n  ";
    for (size_t i = 0; i < type_def.constructors.size(); ++i) {
      const Constructor& constructor = module_.constructor(type_def.constructors[i]);
      if (i != 0) out_ += "\n  ";
      out_ += module_.context().text(constructor.name);
      AppendList(constructor.inputs, '(', ')');
      out_ += ',';
    }
    out_ += "\n}\n";
    buffer_.Flow();
  }

  void PrintFunction(GlobalId id) {
    BeginItem();
    ExprPrinter(state_, *module_.function<Function>(id), buffer_, trace_).PrintGlobal(id);
    out_ += '\n';
  }

  // Returns how many constants were left out.
  auto Finish() -> size_t {
    size_t left_out = 0;
    if (!state_.meta.lists().empty()) {
      switch (state_.options.metadata) {
        case MetadataPrinting::kSection:
          out_ += "\n#[metadata]\n";
          left_out = WriteMetadata(module_.context(), state_.meta, state_.options, buffer_);
          break;
        case MetadataPrinting::kOmitted: out_ += kOmittedComment; break;
        case MetadataPrinting::kSilent: out_ += '\n'; break;
      }
    }
    buffer_.Flush();
    return left_out;
  }

 private:
  void BeginItem() {
    if (!first_item_) out_ += '\n';
    first_item_ = false;
  }

  // Nothing for an empty list.
  void AppendList(const std::vector<TypeId>& types, char open, char close) {
    for (size_t i = 0; i < types.size(); ++i) {
      if (i == 0) {
        out_ += open;
      } else {
        out_ += ", ";
      }
      state_.types.Append(out_, types[i]);
    }
    if (!types.empty()) out_ += close;
  }

  const Module& module_;
  PrinterState state_;
  TextBuffer buffer_;
  std::string& out_;
  PrintTrace* trace_;
  bool first_item_ = true;
};

// Prints the items that `items` passes to a printer.
template <typename Items>
void Print(const Module& module, const PrintOptions& options, TextSink& sink, PrintTrace* trace, Items&& items) {
  if (!options.elide_constants_if_larger) {
    ModulePrinter printer(module, options, sink, trace);
    items(printer);
    printer.Finish();
    return;
  }
  // Only at the end is it known whether constants were left out, but the comment about it comes first.
  StringSink text;
  ModulePrinter printer(module, options, text);
  items(printer);
  if (const size_t left_out = printer.Finish(); left_out != 0) {
    sink.Write(
        fmt::format("// This text cannot be read back: constants of more than {} elements are left out ({} of them).\n",
                    *options.elide_constants_if_larger, left_out));
  }
  sink.Write(text.text());
}

}  // namespace

namespace {

void PrintAll(const Module& module, const PrintOptions& options, TextSink& sink, PrintTrace* trace) {
  auto type_defs = MapToVector<const TypeDef*>(module.type_defs(), [&](const TypeDef& type_def) { return &type_def; });
  std::sort(type_defs.begin(), type_defs.end(), [&](const TypeDef* a, const TypeDef* b) {
    return module.context().text(a->name) < module.context().text(b->name);
  });
  Print(module, options, sink, trace, [&](ModulePrinter& printer) {
    for (const TypeDef* type_def : type_defs) printer.PrintTypeDef(*type_def);
    for (const GlobalId id : module.SortedFunctions<Function>()) printer.PrintFunction(id);
  });
}

}  // namespace

void PrintRelay(const Module& module, const PrintOptions& options, TextSink& sink) {
  PrintAll(module, options, sink, nullptr);
}

auto PrintRelay(const Module& module, const PrintOptions& options, PrintTrace& trace) -> std::string {
  StringSink sink;
  PrintAll(module, options, sink, &trace);
  return std::move(sink.text());
}

auto PrintRelay(const Module& module, const PrintOptions& options) -> std::string {
  StringSink sink;
  PrintRelay(module, options, sink);
  return std::move(sink.text());
}

void PrintRelayFunction(const Module& module, GlobalId function, const PrintOptions& options, TextSink& sink) {
  Print(module, options, sink, nullptr, [&](ModulePrinter& printer) {
    if (module.function<Function>(function) != nullptr) printer.PrintFunction(function);
  });
}

auto TypeToString(const Context& context, TypeId type) -> std::string { return TypeName(context, type); }

}  // namespace relayopt
