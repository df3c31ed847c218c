/* A library to be preloaded: from the FAIL_MALLOC-th call on, malloc, calloc and realloc of the program find no memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);

static atomic_long g_calls;
static long g_limit = -1;

__attribute__((constructor)) static void ReadLimit(void) {
  const char* text = getenv("FAIL_MALLOC");
  if (text != NULL) g_limit = atol(text);
  atomic_store(&g_calls, 0);
}

static int Fails(void) {
  if (g_limit < 0 || atomic_fetch_add(&g_calls, 1) + 1 < g_limit) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return Fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return Fails() ? NULL : __libc_calloc(count, size); }
void* realloc(void* block, size_t size) { return Fails() ? NULL : __libc_realloc(block, size); }
