// The only thread ends with the program, whose memory goes as a whole.
extern "C" auto __cxa_thread_atexit(void (*)(void*), void*, void*) -> int { return 0; }
