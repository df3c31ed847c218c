# Without --run nothing would heed --lockstep.
# RUN: not %relayopt --lockstep %s 2>&1 | FileCheck %s
# CHECK: error: --lockstep has no effect without --run
