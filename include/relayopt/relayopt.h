// The one header for programs that read models, run passes over them and print them. relayopt/driver/session.h has an
// example.
#pragma once

#include "relayopt/driver/session.h"
#include "relayopt/pass/registry.h"
