// Requests and notifications of the Language Server Protocol.
#include "relayopt/lsp/server.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <utility>

#include "document.h"
#include "features.h"
#include "relayopt/support/json.h"

namespace relayopt {
namespace {

using Json = nlohmann::json;

// Codes of the protocol.
enum ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kRequestFailed = -32803,
};

// A request that is answered with an error. It never leaves the server.
struct ProtocolError : std::runtime_error {
  ProtocolError(ErrorCode c, const std::string& text) : std::runtime_error(text), code(c) {}
  ErrorCode code;
};

template <typename T>
auto OrFail(Result<T> result) -> T {
  if (!result) throw ProtocolError(kRequestFailed, result.error().text);
  return std::move(*result);
}

auto Capabilities() -> Json {
  constexpr int kFullText = 1;
  return {{"capabilities",
           {{"textDocumentSync", {{"openClose", true}, {"change", kFullText}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"renameProvider", true},
            {"documentSymbolProvider", true},
            {"documentFormattingProvider", true},
            {"inlayHintProvider", true},
            {"codeActionProvider", {{"codeActionKinds", {"source.relayopt"}}}},
            {"executeCommandProvider", {{"commands", {kRunPipelineCommand}}}},
            {"completionProvider", {{"triggerCharacters", {"%", "@", ".", "("}}}}}},
          {"serverInfo", {{"name", "relayopt-lsp"}, {"version", RELAYOPT_VERSION}}}};
}

}  // namespace

LanguageServer::LanguageServer(Send send) : send_(std::move(send)) {}
LanguageServer::~LanguageServer() = default;

void LanguageServer::Handle(const Json& message) {
  const Json id = message.is_object() ? message.value("id", Json()) : Json();
  const auto fail = [&](int code, const std::string& text) {
    send_({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}});
  };
  if (!message.is_object() || !message.contains("method") || !message.at("method").is_string()) {
    // An answer of the client to something that was never asked is passed over.
    if (!message.is_object() || !(message.contains("result") || message.contains("error"))) {
      fail(kInvalidRequest, "a message is an object with a method");
    }
    return;
  }
  const auto method = message.at("method").get<std::string>();
  const Json params = message.value("params", Json::object());
  const bool is_request = message.contains("id");
  try {
    if (!is_request) return Notify(method, params);
    const Json result = Answer(method, params);
    send_({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
  } catch (const ProtocolError& error) {
    if (is_request) fail(error.code, error.what());
  } catch (const Json::exception& error) {
    if (is_request) fail(kInvalidParams, error.what());
  }
}

auto LanguageServer::Find(const Json& params) -> Document& {
  const auto uri = params.at("textDocument").at("uri").get<std::string>();
  const auto found = documents_.find(uri);
  if (found == documents_.end()) throw ProtocolError(kInvalidParams, "the document " + uri + " is not open");
  return *found->second;
}

auto LanguageServer::Answer(const std::string& method, const Json& params) -> Json {
  if (method == "initialize") return Capabilities();
  if (method == "shutdown") {
    was_shut_down_ = true;
    return nullptr;
  }
  if (was_shut_down_) throw ProtocolError(kInvalidRequest, "the server was shut down");
  if (method == "workspace/executeCommand") {
    const auto command = params.at("command").get<std::string>();
    if (command != kRunPipelineCommand) throw ProtocolError(kInvalidParams, "unknown command '" + command + "'");
    const Json& arguments = params.at("arguments");
    const Json document = {{"textDocument", {{"uri", arguments.at(0)}}}};
    return OrFail(RunPipeline(Find(document), arguments.at(1).get<std::string>()));
  }
  using Feature = Json (*)(const Document& document, size_t offset, const Json& params);
  static const std::map<std::string_view, Feature> at_position = {
      {"textDocument/hover", [](const Document& d, size_t at, const Json&) { return Hover(d, at); }},
      {"textDocument/definition", [](const Document& d, size_t at, const Json&) { return Definition(d, at); }},
      {"textDocument/completion", [](const Document& d, size_t at, const Json&) { return Complete(d, at); }},
      {"textDocument/references",
       [](const Document& d, size_t at, const Json& p) {
         return References(d, at, p.at("context").at("includeDeclaration").get<bool>());
       }},
      {"textDocument/rename", [](const Document& d, size_t at,
                                 const Json& p) { return OrFail(Rename(d, at, p.at("newName").get<std::string>())); }},
  };
  if (const auto found = at_position.find(method); found != at_position.end()) {
    const Document& document = Find(params);
    return found->second(document, document.OffsetOf(params.at("position")), params);
  }
  if (method == "textDocument/documentSymbol") return Symbols(Find(params));
  if (method == "textDocument/formatting") return OrFail(Format(Find(params)));
  if (method == "textDocument/codeAction") return CodeActions(Find(params));
  if (method == "textDocument/inlayHint") {
    const Document& document = Find(params);
    const Json& range = params.at("range");
    return InlayHints(document, document.OffsetOf(range.at("start")), document.OffsetOf(range.at("end")));
  }
  throw ProtocolError(kMethodNotFound, "the method '" + method + "' is not supported");
}

void LanguageServer::Notify(const std::string& method, const Json& params) {
  if (method == "exit") {
    is_running_ = false;
  } else if (method == "textDocument/didOpen") {
    const Json& document = params.at("textDocument");
    Open(document.at("uri").get<std::string>(), document.at("text").get<std::string>());
  } else if (method == "textDocument/didChange") {
    Find(params);
    // The whole text each time, as the capabilities say.
    for (const Json& change : params.at("contentChanges")) {
      if (&change != &params.at("contentChanges").back()) continue;
      Open(params.at("textDocument").at("uri").get<std::string>(), change.at("text").get<std::string>());
    }
  } else if (method == "textDocument/didClose") {
    const auto uri = params.at("textDocument").at("uri").get<std::string>();
    documents_.erase(uri);
    send_({{"jsonrpc", "2.0"},
           {"method", "textDocument/publishDiagnostics"},
           {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
  }
}

void LanguageServer::Open(const std::string& uri, std::string text) {
  auto document = std::make_unique<Document>(uri, std::move(text));
  send_({{"jsonrpc", "2.0"},
         {"method", "textDocument/publishDiagnostics"},
         {"params", {{"uri", uri}, {"diagnostics", DiagnosticsOf(*document)}}}});
  documents_.insert_or_assign(uri, std::move(document));
}

namespace {

// Larger messages are not read: no editor sends them.
constexpr size_t kLargestMessage = size_t{256} << 20;

// Reads the headers of a message and returns its length in bytes; 0 at the end of the input or if there is none.
auto ReadHeaders(std::istream& in) -> size_t {
  size_t length = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) return length;
    constexpr std::string_view kLength = "Content-Length: ";
    if (line.starts_with(kLength)) std::from_chars(line.data() + kLength.size(), line.data() + line.size(), length);
  }
  return 0;
}

}  // namespace

auto ServeStreams(std::istream& in, std::ostream& out) -> int {
  const auto send = [&](const Json& message) {
    // Bytes of a text that are not UTF-8 are replaced: JSON cannot hold them.
    const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    out << "Content-Length: " << text.size() << "\r\n\r\n" << text << std::flush;
  };
  LanguageServer server(send);
  while (server.is_running()) {
    const size_t length = ReadHeaders(in);
    if (length == 0 || length > kLargestMessage) return 1;
    std::string text(length, '\0');
    if (!in.read(text.data(), static_cast<std::streamsize>(length))) return 1;
    const Json message = ParseJson<Json>(text);
    if (message.is_discarded()) {
      send({{"jsonrpc", "2.0"},
            {"id", nullptr},
            {"error", {{"code", kParseError}, {"message", "the message is not JSON"}}}});
    } else {
      server.Handle(message);
    }
  }
  return server.exit_status();
}

}  // namespace relayopt
