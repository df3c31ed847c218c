// All that a program needs that reads models, runs passes over them and prints them. See relayopt/driver/session.h.
#pragma once

#include "relayopt/driver/session.h"
#include "relayopt/pass/registry.h"
