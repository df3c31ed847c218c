# The libraries relayopt is built on, all from the system.
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  include(${CMAKE_CURRENT_LIST_DIR}/wasi/dependencies.cmake)
  return()
endif()
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(fmt REQUIRED)
# Debian has no archive of it.
set(RELAYOPT_FMT $<IF:$<BOOL:${RELAYOPT_STATIC}>,fmt::fmt-header-only,fmt::fmt>)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
# Their archives: loading shared libraries would cost every start-up for what few runs need.
set(ZLIB_USE_STATIC_LIBS ON)
find_package(ZLIB REQUIRED)
find_package(zstd REQUIRED)
block()
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a ${CMAKE_FIND_LIBRARY_SUFFIXES})
  find_package(LibLZMA REQUIRED)
endblock()
find_package(spdlog REQUIRED)
if(RELAYOPT_STATIC)
  # spdlog asks for fmt as a library, which cannot be linked into a static tool.
  set_target_properties(spdlog::spdlog_header_only PROPERTIES INTERFACE_LINK_LIBRARIES "Threads::Threads;${RELAYOPT_FMT}")
endif()
# Headers only, seen by lib/ops/kernels/gemm.cpp alone.
find_package(Eigen3 REQUIRED NO_MODULE)

# Debian's package files name Abseil's shared libraries, of which a hash map alone needs a dozen: loading them would be
# most of the tool's start-up. Its static archives stand beside them.
function(relayopt_prefer_static_absl)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  list(FILTER targets INCLUDE REGEX "^absl::")
  foreach(target IN LISTS targets)
    get_target_property(shared ${target} IMPORTED_LOCATION_NONE)
    if(shared)
      string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${shared}")
      if(EXISTS "${archive}")
        set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_NONE "${archive}")
      endif()
    endif()
  endforeach()
endfunction()
relayopt_prefer_static_absl()
