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
  -ffunction-sections -fdata-sections)
target_link_options(relayopt_build_flags INTERFACE -Wl,--as-needed -Wl,--gc-sections -Wl,-z,lazy -Wl,-O1)
if(RELAYOPT_SANITIZE)
  target_compile_options(relayopt_build_flags INTERFACE
    -fsanitize=${RELAYOPT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(relayopt_build_flags INTERFACE -fsanitize=${RELAYOPT_SANITIZE})
endif()

# Headers that nearly every source includes, compiled once. ccache needs to be told that it may trust them.
option(RELAYOPT_PRECOMPILED_HEADERS "Precompile the headers that nearly every source includes" ON)
function(relayopt_precompile_headers target)
endfunction()
