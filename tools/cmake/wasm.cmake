# Compiles for WebAssembly with WASI: cmake --toolchain tools/cmake/wasm.cmake -D RELAYOPT_ZIG=FOLDER, where FOLDER is that
# of PyPI's package `ziglang`, which contains clang and the sources of its C and C++ libraries.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/wasi)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RELAYOPT_ZIG)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# CMake and ccache want commands of one word.
set(wrappers ${CMAKE_BINARY_DIR}/toolchain)
foreach(tool IN ITEMS cc c++ ar ranlib)
  set(words ${tool})
  if(tool MATCHES "^c")
    set(words "${tool} -target wasm32-wasi -mcpu=lime1+exception_handling")
  endif()
  file(WRITE ${wrappers}/${tool}.new "#!/bin/sh\nexec ${RELAYOPT_ZIG}/zig ${words} \"$@\"\n")
  # An unchanged file keeps its time, which ccache compares.
  file(COPY_FILE ${wrappers}/${tool}.new ${wrappers}/${tool} ONLY_IF_DIFFERENT)
  file(CHMOD ${wrappers}/${tool} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_C_COMPILER ${wrappers}/cc)
set(CMAKE_CXX_COMPILER ${wrappers}/c++)
set(CMAKE_AR ${wrappers}/ar)
set(CMAKE_RANLIB ${wrappers}/ranlib)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# Exceptions are WebAssembly's own. zig's headers leave threads and files out unless they are told otherwise; threads exist
# then but cannot be started.
string(JOIN " " CMAKE_CXX_FLAGS_INIT -fwasm-exceptions -g0
  -U_LIBCPP_HAS_THREADS -D_LIBCPP_HAS_THREADS=1 -D_LIBCPP_HAS_THREAD_API_PTHREAD=1
  -U_LIBCPP_HAS_FILESYSTEM -D_LIBCPP_HAS_FILESYSTEM=1 -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_MMAN
  -D_WASI_EMULATED_PROCESS_CLOCKS)
set(CMAKE_C_FLAGS_INIT "-fwasm-exceptions -g0")
