# The layers of the library: lib/<layer>/**/*.cpp is the static library relayopt_<layer>, alias relayopt::<layer>; a layer
# inside of a folder (relay/ops) has an underscore in these names for the slash.
# RELAYOPT_LAYER_ORDER names the folders of all, lowest first; RELAYOPT_LAYERS the libraries of those that have sources,
# highest first, which is the order a linker wants.
set(RELAYOPT_LAYER_ORDER "")
set(RELAYOPT_LAYERS "")
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  set(RELAYOPT_OTHER_PLATFORM posix)
else()
  set(RELAYOPT_OTHER_PLATFORM wasi)
endif()

# Makes `relayopt_<folder>` from the sources in lib/<folder> but those in a folder `testing` inside of it, with the
# outside libraries it uses. Sets `name`, and leaves it empty when there are no sources.
macro(relayopt_make_layer folder)
  string(REPLACE "/" "_" name ${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/lib/${folder}/(.*/)?testing/")
  # What each platform does in its own way.
  list(FILTER sources EXCLUDE REGEX "/lib/${folder}/(.*/)?${RELAYOPT_OTHER_PLATFORM}/")
  if(NOT sources)
    set(name "")
  else()
    add_library(relayopt_${name} STATIC ${sources})
    add_library(relayopt::${name} ALIAS relayopt_${name})
    set_target_properties(relayopt_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
    target_compile_features(relayopt_${name} PUBLIC cxx_std_20)
    target_include_directories(relayopt_${name} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    # Headers that only their own layer uses stand beside its sources.
    target_include_directories(relayopt_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    list(TRANSFORM RELAYOPT_LAYERS PREPEND relayopt_ OUTPUT_VARIABLE below)
    target_link_libraries(relayopt_${name} PUBLIC ${below} ${ARGN} PRIVATE $<BUILD_INTERFACE:relayopt_build_flags>)
    relayopt_precompile_headers(relayopt_${name})
    relayopt_group_sources(relayopt_${name} ${sources})
  endif()
endmacro()

# Adds a layer on top of those added before it. A layer without a source is skipped.
macro(relayopt_add_layer folder)
  list(APPEND RELAYOPT_LAYER_ORDER ${folder})
  relayopt_make_layer(${folder} ${ARGN})
  if(name)
    list(PREPEND RELAYOPT_LAYERS ${name})
  endif()
endmacro()

# Adds a layer that only the tool and the tests link: it is no part of the library and not installed.
macro(relayopt_add_testing_layer folder)
  list(APPEND RELAYOPT_LAYER_ORDER ${folder})
  relayopt_make_layer(${folder} ${ARGN})
endmacro()

# Adds relayopt::relayopt, the library as a whole.
function(relayopt_add_library)
  add_library(relayopt_relayopt INTERFACE)
  add_library(relayopt::relayopt ALIAS relayopt_relayopt)
  set_target_properties(relayopt_relayopt PROPERTIES EXPORT_NAME relayopt)
  list(TRANSFORM RELAYOPT_LAYERS PREPEND relayopt_ OUTPUT_VARIABLE layers)
  target_link_libraries(relayopt_relayopt INTERFACE ${layers})
  target_compile_definitions(relayopt_relayopt INTERFACE RELAYOPT_VERSION="${PROJECT_VERSION}")
endfunction()
