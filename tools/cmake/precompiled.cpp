// Compiles precompiled.h and nothing else.
