// A language server for Relay text and TVMScript: what an editor asks, answered with the readers of relayopt.
//
//   relayopt::LanguageServer server([](const nlohmann::json& message) { Send(message); });
//   while (server.is_running() && Receive(message)) server.Handle(message);
//   return server.exit_status();
//
// The messages are those of the Language Server Protocol 3.17; framing (`Content-Length: N`) is left to the caller, see
// ServeStreams.
#pragma once

#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace relayopt {

class Document;

// Not thread-safe. Handles messages in the order in which they arrive, and answers each request before it returns.
class LanguageServer {
 public:
  using Send = std::function<void(const nlohmann::json& message)>;

  explicit LanguageServer(Send send);
  ~LanguageServer();

  // Handles a request or a notification. Malformed messages are answered with an error of the protocol.
  void Handle(const nlohmann::json& message);

  // False after the notification `exit`.
  auto is_running() const -> bool { return is_running_; }
  // 0 if the client shut the server down before `exit`, else 1, as the protocol asks.
  auto exit_status() const -> int { return was_shut_down_ ? 0 : 1; }

 private:
  // Returns the result of a request. Throws a ProtocolError.
  auto Answer(const std::string& method, const nlohmann::json& params) -> nlohmann::json;
  void Notify(const std::string& method, const nlohmann::json& params);
  void Open(const std::string& uri, std::string text);
  auto Find(const nlohmann::json& params) -> Document&;

  Send send_;
  std::map<std::string, std::unique_ptr<Document>, std::less<>> documents_;
  bool is_running_ = true;
  bool was_shut_down_ = false;
};

// Runs a server on two streams, with the protocol's framing, until the client ends it or the input ends. Returns the
// exit status.
auto ServeStreams(std::istream& in, std::ostream& out) -> int;

}  // namespace relayopt
