# CMake has no rules for WASI; those of every system do.
