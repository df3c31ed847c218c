# Installs a build into a folder of its own, then configures, builds and runs this folder's project against it:
# cmake -D BUILD_DIR=... -D WORK_DIR=... -D FLAGS=... -D LAUNCHER=... -P check.cmake
cmake_minimum_required(VERSION 3.25)

function(fail status output)
  string(JOIN " " command ${ARGN})
  message(NOTICE "${output}")
  message(FATAL_ERROR "status ${status}: ${command}")
endfunction()

function(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(status)
    fail(${status} "${output}" ${ARGV})
  endif()
endfunction()

# Runs a command, which must end with `status` and print something that matches `pattern`.
function(expect status pattern)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  if(NOT result EQUAL status OR NOT output MATCHES "${pattern}")
    fail(${result} "${output}" ${ARGN})
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/install)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G Ninja
  -D CMAKE_PREFIX_PATH=${WORK_DIR}/install -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)

# The facade: a model is read, optimized and printed; what is wrong with it, or with the pipeline, is told.
set(user ${WORK_DIR}/build/user)
set(negations ${CMAKE_CURRENT_LIST_DIR}/negations.relay)
expect(0 "def @main.*ty=" ${user} ${negations} InferType,FoldConstant)
expect(1 "passes:1:1: error: unknown pass 'FoldConstnat'.*did you mean" ${user} ${negations} FoldConstnat)
expect(1 "error: cannot read 'missing.relay'" ${user} missing.relay InferType)

# The plugin in the installed tool. A plugin of the installed package cannot go into a tool with sanitizers.
set(tool ${WORK_DIR}/install/bin/relayopt)
set(input ${CMAKE_CURRENT_LIST_DIR}/negations.relay)
set(plugin ${WORK_DIR}/build/drop_negation.so)
if(EXISTS ${tool} AND NOT FLAGS)
  expect(0 "nn.relu\\(%x\\)" ${tool} --load-pass-plugin=${plugin} --passes=example.DropNegation ${input})
  # In its own folder a plugin needs no ./ before its name.
  expect(0 "nn.relu\\(%x\\)" sh -c "cd ${WORK_DIR}/build && ${tool} --load-pass-plugin=drop_negation.so --passes=example.DropNegation ${input}")
  expect(0 "example.DropNegation .*plugin example" ${tool} --load-pass-plugin=${plugin} --list-passes)
  # Its operator: read, typed, evaluated and printed, and unknown without it.
  set(scale ${CMAKE_CURRENT_LIST_DIR}/scale.relay)
  expect(0 "example.scale\\(2f.*, factor=3f\\) /\\* ty=float32 \\*/" ${tool} --load-pass-plugin=${plugin} --passes=InferType ${scale})
  expect(0 "{.*6f.*}" ${tool} --load-pass-plugin=${plugin} --passes=FoldConstant ${scale})
  expect(0 "Computed on element types: floating point" ${tool} --load-pass-plugin=${plugin} --help-op=example.scale)
  expect(1 "unknown operator 'example.scale'" ${tool} --help-op=example.scale)
  expect(1 "example.scale" ${tool} ${scale})
  expect(1 "built for relayopt of another time .plugin ABI 2." ${tool} --load-pass-plugin=${WORK_DIR}/build/too_new.so ${input})
  expect(1 "unknown pass 'example.DropNegation'" ${tool} --passes=example.DropNegation ${input})
  expect(1 "cannot register its passes" ${tool} --load-pass-plugin=${plugin} --load-pass-plugin=${plugin} ${input})
endif()
