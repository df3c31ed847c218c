// The logger of --verbose.
#include "log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace relayopt {

namespace {

// Created on demand, because most runs log nothing.
auto Logger() -> std::shared_ptr<spdlog::logger>& {
  static std::shared_ptr<spdlog::logger> logger;
  return logger;
}

}  // namespace

void EnableLog() {
  Logger() = std::make_shared<spdlog::logger>("relayopt", std::make_shared<spdlog::sinks::stderr_sink_st>());
  Logger()->set_pattern("relayopt [%T.%e] %v");
}

void Log(const std::string& message) {
  if (Logger() != nullptr) Logger()->info("{}", message);
}

}  // namespace relayopt
