# The libraries relayopt is built on, for WebAssembly: Debian's headers, without Debian's archives, which are native. They are
# linked into a folder of their own, because the other headers of /usr/include are native as well.
set(headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(name IN ITEMS absl fmt nlohmann protozero spdlog CLI)
  file(CREATE_LINK /usr/include/${name} ${headers}/${name} SYMBOLIC)
endforeach()

add_library(relayopt_headers INTERFACE)
target_include_directories(relayopt_headers SYSTEM INTERFACE $<BUILD_INTERFACE:${headers}>)
target_compile_definitions(relayopt_headers INTERFACE FMT_HEADER_ONLY SPDLOG_FMT_EXTERNAL)
foreach(name IN ITEMS absl::flat_hash_map absl::flat_hash_set absl::inlined_vector fmt::fmt Threads::Threads
    nlohmann_json::nlohmann_json CLI11::CLI11 ZLIB::ZLIB LibLZMA::LibLZMA zstd::libzstd_static spdlog::spdlog_header_only)
  add_library(${name} ALIAS relayopt_headers)
endforeach()
set(RELAYOPT_FMT fmt::fmt)

# zig's own build of libc++ has no exceptions, threads or files; its sources have.
enable_language(C)
set(zig ${RELAYOPT_ZIG}/lib)
file(GLOB sources ${zig}/libcxx/src/*.cpp ${zig}/libcxx/src/filesystem/*.cpp ${zig}/libcxx/src/ryu/*.cpp ${zig}/libcxxabi/src/*.cpp)
list(FILTER sources EXCLUDE REGEX "/(cxa_noexception|cxa_thread_atexit|int128_builtins|bind|strstream|barrier)\\.cpp$")
list(APPEND sources ${zig}/libunwind/src/Unwind-wasm.c ${CMAKE_CURRENT_LIST_DIR}/exception_tag.s ${CMAKE_CURRENT_LIST_DIR}/absl.cpp
  ${CMAKE_CURRENT_LIST_DIR}/thread_exit.cpp)
enable_language(ASM)
# It has no copy_file_range, which that of musl has.
set_source_files_properties(${zig}/libcxx/src/filesystem/operations.cpp PROPERTIES
  COMPILE_OPTIONS "-U_LIBCPP_HAS_MUSL_LIBC;-D_LIBCPP_HAS_MUSL_LIBC=0")
set_source_files_properties(${zig}/libunwind/src/Unwind-wasm.c PROPERTIES COMPILE_OPTIONS "-fdeclspec")
add_library(relayopt_wasi_runtime STATIC ${sources})
target_compile_features(relayopt_wasi_runtime PRIVATE cxx_std_23)
target_compile_options(relayopt_wasi_runtime PRIVATE -w)
target_compile_definitions(relayopt_wasi_runtime PRIVATE _LIBCPP_BUILDING_LIBRARY LIBCXX_BUILDING_LIBCXXABI
  _LIBCXXABI_BUILDING_LIBRARY _LIBUNWIND_HAS_NO_THREADS)
target_include_directories(relayopt_wasi_runtime PRIVATE ${zig}/libcxx/src ${zig}/libcxx/src/include ${zig}/libcxx/libc
  ${zig}/libcxxabi/include ${zig}/libunwind/include)
target_link_libraries(relayopt_wasi_runtime PRIVATE relayopt_headers)
