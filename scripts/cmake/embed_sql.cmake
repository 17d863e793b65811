# embed_sql(target dir): makes an INTERFACE library whose header <schema/NAME.sql.h> holds, for each
# dir/NAME.sql, one constant a section that begins with a line "-- name: Identifier"
# (namespace tmc::sql::NAME), and whose header <schema/migrations.h> holds the numbered files whole.
function(embed_sql target dir)
  set(out ${CMAKE_BINARY_DIR}/generated)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${dir}/*.sql)
  list(SORT files)
  set(migrations "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    if(name MATCHES "^[0-9][0-9][0-9]_")
      string(APPEND migrations "    R\"sql(${text})sql\",\n")
    else()
      string(REGEX REPLACE "\n-- name: ([A-Za-z0-9_]+)\n"
             ")sql\";\ninline constexpr char \\1[] = R\"sql(" body "\n${text}")
      string(CONFIGURE [[// Made from @dir@/@name@.sql at configure time.
#pragma once
namespace tmc::sql::@name@ {
inline constexpr char kHead[] = R"sql(@body@)sql";
}  // namespace tmc::sql::@name@
]] header @ONLY)
      file(CONFIGURE OUTPUT ${out}/${dir}/${name}.sql.h CONTENT "${header}" @ONLY)
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${out}/${dir}/migrations.h CONTENT "// Made from ${dir}/NNN_*.sql at configure time.
#pragma once
namespace tmc::sql {
inline constexpr const char* kMigrations[] = {
${migrations}};
}  // namespace tmc::sql
" @ONLY)
  add_library(${target} INTERFACE)
  target_include_directories(${target} INTERFACE ${out})
endfunction()
