# How our own code is compiled and linked. Nothing here reaches users of the installed library.
add_library(relayopt_build_flags INTERFACE)
target_compile_options(relayopt_build_flags INTERFACE
  -Wall -Wextra -Wconversion $<$<BOOL:${RELAYOPT_WERROR}>:-Werror>
  # Naming the fields that matter is how our structs are made; the others have defaults.
  -Wno-missing-field-initializers
  # g++ 12 reports sound uses of std::string (GCC bug 105651) and, once inlined or instrumented, of absl::InlinedVector and
  # std::function.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  # One section a function, so that the linker can drop what the tool never calls.
  -ffunction-sections -fdata-sections
  # Nobody replaces a function of the library from outside, so that calls inside of it need no detour.
  $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
target_link_options(relayopt_build_flags INTERFACE -Wl,--as-needed -Wl,--gc-sections -Wl,-z,lazy -Wl,-O1)
if(RELAYOPT_SANITIZE)
  target_compile_options(relayopt_build_flags INTERFACE
    -fsanitize=${RELAYOPT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(relayopt_build_flags INTERFACE -fsanitize=${RELAYOPT_SANITIZE})
endif()

# The headers from outside that nearly every source includes are compiled once, and reading them is a third of the work of
# compiling. Without it, sources that forget an include show.
option(RELAYOPT_PRECOMPILED_HEADERS "Precompile the headers that nearly every source includes" ON)
if(RELAYOPT_PRECOMPILED_HEADERS)
  add_library(relayopt_precompiled OBJECT ${CMAKE_CURRENT_LIST_DIR}/precompiled.cpp)
  set_target_properties(relayopt_precompiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_features(relayopt_precompiled PUBLIC cxx_std_20)
  target_link_libraries(relayopt_precompiled PRIVATE
    absl::flat_hash_map absl::inlined_vector fmt::fmt Threads::Threads relayopt_build_flags)
  target_precompile_headers(relayopt_precompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/precompiled.h)
  # For ccache, which then sees through a precompiled header.
  target_compile_options(relayopt_build_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
function(relayopt_precompile_headers target)
  if(RELAYOPT_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM relayopt_precompiled)
  endif()
endfunction()
