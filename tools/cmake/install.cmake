# `cmake --install`: the tool, the headers, the libraries and what find_package(relayopt) needs.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/relayopt)
list(TRANSFORM RELAYOPT_LAYERS PREPEND relayopt_ OUTPUT_VARIABLE layers)
install(TARGETS relayopt_relayopt ${layers} EXPORT relayoptTargets)
install(DIRECTORY include/relayopt TYPE INCLUDE)
install(EXPORT relayoptTargets NAMESPACE relayopt:: DESTINATION ${package_dir})
if(TARGET relayopt)
  install(TARGETS relayopt)
endif()

configure_package_config_file(tools/cmake/relayoptConfig.cmake.in ${PROJECT_BINARY_DIR}/relayoptConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/relayoptConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/relayoptConfig.cmake ${PROJECT_BINARY_DIR}/relayoptConfigVersion.cmake
  DESTINATION ${package_dir})
