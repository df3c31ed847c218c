#!/bin/sh
# A program for --exec-on-ir-change: tells what it was called with; fails on modules without @other.
echo "called $2 $RELAYOPT_PASS_NUMBER $(grep -c '^def' "$1")" >&2
grep -q 'def @other' "$1"
