#!/bin/sh
# Good: no operator is a fast one. With CANNOT_TELL: nothing is said about what these passes leave.
case " $CANNOT_TELL " in *" $RELAYOPT_PASS_NUMBER "*) exit 125 ;; esac
! grep -q fast_ "$1"
