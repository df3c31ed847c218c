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
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  target_link_options(relayopt_build_flags INTERFACE -nostdlib++ -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=8388608
    -lwasi-emulated-signal -lwasi-emulated-mman -lwasi-emulated-process-clocks)
else()
  target_link_options(relayopt_build_flags INTERFACE -Wl,--as-needed -Wl,--gc-sections -Wl,-z,lazy -Wl,-O1)
endif()
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
    absl::flat_hash_map absl::inlined_vector ${RELAYOPT_FMT} Threads::Threads relayopt_build_flags)
  target_precompile_headers(relayopt_precompiled PRIVATE ${CMAKE_CURRENT_LIST_DIR}/precompiled.h)
  # For ccache, which then sees through a precompiled header.
  target_compile_options(relayopt_build_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
function(relayopt_precompile_headers target)
  if(RELAYOPT_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM relayopt_precompiled)
  endif()
endfunction()

# The sources of a folder are compiled as one, sixteen at a time: reading headers is most of the work of compiling. So names
# in unnamed namespaces are unique in a folder. Who works on a folder takes it out, in a build of their own, with
# -D RELAYOPT_SEPARATE_SOURCES=lib/relay/eval (a regular expression). CMake's own unity builds name sources by absolute
# paths, so that checkouts in different folders could not share what ccache keeps.
option(RELAYOPT_UNITY_BUILD "Compile the sources of a folder as one" ON)
set(RELAYOPT_SEPARATE_SOURCES "" CACHE STRING "Folders whose sources are compiled one by one, as a regular expression")
set(RELAYOPT_SOURCES_IN_ONE 16)

# Puts those sources of a target together that have no compile options or definitions of their own.
function(relayopt_group_sources target)
  if(NOT RELAYOPT_UNITY_BUILD)
    return()
  endif()
  set(groups "")
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(options OR definitions OR (RELAYOPT_SEPARATE_SOURCES AND name MATCHES "${RELAYOPT_SEPARATE_SOURCES}"))
      continue()
    endif()
    cmake_path(GET name PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR part "0${sources_of_${folder}} / ${RELAYOPT_SOURCES_IN_ONE}")
    math(EXPR sources_of_${folder} "0${sources_of_${folder}} + 1")
    set(group ${folder}_${part})
    list(APPEND groups ${group})
    string(APPEND text_of_${group} "#include \"${name}\"\n")
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    set(file ${PROJECT_BINARY_DIR}/sources/${group}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_of_${group}}" @ONLY)
    target_sources(${target} PRIVATE ${file})
  endforeach()
endfunction()
