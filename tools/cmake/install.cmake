# `cmake --install` and `cpack`: the tool with its manual page and what shells and editors need (component `tool`), and the headers,
# the libraries and what find_package(relayopt) needs (component `development`).
include(CMakePackageConfigHelpers)

# A wheel holds neither the headers nor the tool as Debian packages have it.
if(RELAYOPT_WHEEL)
  return()
endif()

# Whatever was built before: `./dev run` builds the tool alone.
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" COMMAND_ERROR_IS_FATAL ANY)"
  ALL_COMPONENTS)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/relayopt)
set(development COMPONENT development)
list(TRANSFORM RELAYOPT_LAYERS PREPEND relayopt_ OUTPUT_VARIABLE layers)
install(TARGETS relayopt_relayopt ${layers} EXPORT relayoptTargets ARCHIVE ${development})
install(DIRECTORY include/relayopt TYPE INCLUDE ${development})
install(EXPORT relayoptTargets NAMESPACE relayopt:: DESTINATION ${package_dir} ${development})

configure_package_config_file(tools/cmake/relayoptConfig.cmake.in ${PROJECT_BINARY_DIR}/relayoptConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/relayoptConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/relayoptConfig.cmake ${PROJECT_BINARY_DIR}/relayoptConfigVersion.cmake
  DESTINATION ${package_dir} ${development})

if(TARGET relayopt)
  install(TARGETS relayopt relayopt-lsp RUNTIME COMPONENT tool)

  # From the rows of flags, by the tool itself.
  set(made ${PROJECT_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${made}/relayopt.1.gz
    COMMAND relayopt --gen-docs=${made}
    COMMAND gzip -9nf ${made}/relayopt.1
    COMMAND sh -c "$<TARGET_FILE:relayopt> --completion=bash > ${made}/relayopt.bash"
    COMMAND sh -c "$<TARGET_FILE:relayopt> --completion=zsh > ${made}/_relayopt"
    COMMAND sh -c "$<TARGET_FILE:relayopt> --completion=fish > ${made}/relayopt.fish"
    DEPENDS relayopt VERBATIM)
  add_custom_target(relayopt_share ALL DEPENDS ${made}/relayopt.1.gz)
  set(share ${CMAKE_INSTALL_DATADIR})
  install(FILES ${made}/relayopt.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
  install(FILES ${made}/relayopt.bash DESTINATION ${share}/bash-completion/completions RENAME relayopt COMPONENT tool)
  install(FILES ${made}/_relayopt DESTINATION ${share}/zsh/vendor-completions COMPONENT tool)
  install(FILES ${made}/relayopt.fish DESTINATION ${share}/fish/vendor_completions.d COMPONENT tool)
  install(FILES tools/share/lit/relayopt_lit.py tools/share/textmate/relay.tmLanguage.json DESTINATION ${share}/relayopt COMPONENT tool)
  install(FILES ${made}/operators.md ${made}/options.md ${made}/passes.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT tool)
endif()

# Two Debian packages: relayopt and relayopt-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME relayopt)
set(CPACK_PACKAGE_CONTACT "the relayopt developers <relayopt@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "optimizer of models in TVM's Relay and TIR")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tool development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME relayopt)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "bash-completion, llvm-14-tools")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "The command line tool, its manual page, completions for bash, zsh and fish, a configuration of lit and a TextMate grammar.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME relayopt-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libabsl-dev, libfmt-dev, nlohmann-json3-dev, zlib1g-dev, liblzma-dev, libzstd-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and static libraries for programs and plugins.")
include(CPack)
