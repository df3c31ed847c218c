/* A library to be preloaded: the FAIL_WRITE-th call that writes, creates, renames or completes a file fails; with
 * FAIL_WRITE_ON all after it fail, too. FAIL_WRITE_ERROR is the number of the error; 0: the call writes one byte less than
 * it is given, which is not an error. Standard error is left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long g_calls;
static long g_call = -1;
static int g_goes_on;
static int g_error;

__attribute__((constructor)) static void ReadSettings(void) {
  const char* call = getenv("FAIL_WRITE");
  const char* error = getenv("FAIL_WRITE_ERROR");
  if (call != NULL) g_call = atol(call);
  if (error != NULL) g_error = atoi(error);
  g_goes_on = getenv("FAIL_WRITE_ON") != NULL;
}

static int Fails(void) {
  const long call = atomic_fetch_add(&g_calls, 1) + 1;
  if (g_call < 0 || (g_goes_on ? call < g_call : call != g_call)) return 0;
  errno = g_error;
  return 1;
}

ssize_t write(int fd, const void* bytes, size_t size) {
  static ssize_t (*real)(int, const void*, size_t);
  if (real == NULL) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  if (fd <= 2 || !Fails()) return real(fd, bytes, size);
  if (g_error != 0) return -1;
  return real(fd, bytes, size > 1 ? size - 1 : size);
}

int fsync(int fd) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return Fails() && g_error != 0 ? -1 : real(fd);
}

int close(int fd) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "close");
  const int result = real(fd);
  return fd > 2 && Fails() && g_error != 0 ? -1 : result;
}

int rename(const char* from, const char* to) {
  static int (*real)(const char*, const char*);
  if (real == NULL) real = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  return Fails() && g_error != 0 ? -1 : real(from, to);
}

int mkostemp(char* name, int flags) {
  static int (*real)(char*, int);
  if (real == NULL) real = (int (*)(char*, int))dlsym(RTLD_NEXT, "mkostemp");
  return Fails() && g_error != 0 ? -1 : real(name, flags);
}

int mkstemp(char* name) {
  static int (*real)(char*);
  if (real == NULL) real = (int (*)(char*))dlsym(RTLD_NEXT, "mkstemp");
  return Fails() && g_error != 0 ? -1 : real(name);
}

int fchmod(int fd, mode_t mode) {
  static int (*real)(int, mode_t);
  if (real == NULL) real = (int (*)(int, mode_t))dlsym(RTLD_NEXT, "fchmod");
  return Fails() && g_error != 0 ? -1 : real(fd, mode);
}
