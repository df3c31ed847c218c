#!/bin/sh
# Interesting: there is a tanh, and FastMath is among the passes that are left.
case "$RELAYOPT_PASSES" in *FastMath*) grep -q 'tanh(' "$1" ;; *) exit 1 ;; esac
