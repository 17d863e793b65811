# stamp_version(target): TMC_VERSION and TMC_COMMIT for agent/version.cc alone.
function(stamp_version target)
  execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit unknown)
  endif()
  set_source_files_properties(${CMAKE_SOURCE_DIR}/agent/version.cc PROPERTIES
    COMPILE_DEFINITIONS "TMC_VERSION=\"${PROJECT_VERSION}\";TMC_COMMIT=\"${commit}\"")
endfunction()
