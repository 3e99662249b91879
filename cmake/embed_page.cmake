# Run as a script: writes OUTPUT, a C++ source with the function FUNCTION that returns a web page's parts as they stand in
# their own files: PAGE, STYLES and SCRIPTS (joined in their order), and the hashes by which a Content-Security-Policy lets
# through that style and that script alone. Every byte becomes an escape of two hex digits, so nothing needs quoting.
cmake_minimum_required(VERSION 3.22)

# base64_of(<hex> <result>)
function(base64_of hex result)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  string(LENGTH "${hex}" digits)
  set(at 0)
  while(at LESS digits)
    string(SUBSTRING "${hex}000000" ${at} 6 group)
    foreach(shift 18 12 6 0)
      math(EXPR index "(0x${group} >> ${shift}) & 63")
      string(SUBSTRING "${alphabet}" ${index} 1 letter)
      string(APPEND text "${letter}")
    endforeach()
    math(EXPR at "${at} + 6")
  endwhile()
  # Three bytes make four letters; those that stand for bytes beyond the end are "=".
  math(EXPR excess "(${at} - ${digits}) / 2")
  string(LENGTH "${text}" letters)
  math(EXPR letters "${letters} - ${excess}")
  string(SUBSTRING "${text}" 0 ${letters} text)
  string(REPEAT "=" ${excess} padding)
  set(${result} "${text}${padding}" PARENT_SCOPE)
endfunction()

# literal_of(<hex> <result>): C++ string literals of 32 bytes each.
function(literal_of hex result)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" escaped "${hex}")
  string(REPEAT "\\\\x[0-9a-f][0-9a-f]" 32 line)
  string(REGEX REPLACE "(${line})" "\\1\"\n    \"" escaped "${escaped}")
  set(${result} "\"${escaped}\"" PARENT_SCOPE)
endfunction()

# joined(<files> <hex>): the bytes of all files, one behind the other.
function(joined files result)
  string(REPLACE "|" ";" files "${files}")
  set(all "")
  foreach(file IN LISTS files)
    file(READ "${file}" hex HEX)
    string(APPEND all "${hex}")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# hash_of(<files> <result>): "sha256-..." of what joined() gives.
function(hash_of files result)
  string(REPLACE "|" ";" files "${files}")
  set(whole "${OUTPUT}.joined")
  file(WRITE "${whole}" "")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    # "</script" and "<!--" would end, or begin, something else inside of a page.
    if(text MATCHES "</(script|style)|<!--")
      message(FATAL_ERROR "${file} has ${CMAKE_MATCH_0}, which a page takes for its own")
    endif()
  endforeach()
  execute_process(COMMAND "${CMAKE_COMMAND}" -E cat ${files} OUTPUT_FILE "${whole}" COMMAND_ERROR_IS_FATAL ANY)
  file(SHA256 "${whole}" digest)
  file(REMOVE "${whole}")
  base64_of("${digest}" base64)
  set(${result} "sha256-${base64}" PARENT_SCOPE)
endfunction()

joined("${PAGE}" page_hex)
joined("${STYLES}" style_hex)
joined("${SCRIPTS}" script_hex)
literal_of("${page_hex}" page)
literal_of("${style_hex}" style)
literal_of("${script_hex}" script)
hash_of("${STYLES}" style_hash)
hash_of("${SCRIPTS}" script_hash)
file(WRITE "${OUTPUT}.new" "// Generated from ${PAGE}, ${STYLES}, ${SCRIPTS}
#include \"${HEADER}\"

namespace ${NAMESPACE} {

PageParts ${FUNCTION}() {
  using std::string_view_literals::operator\"\"sv;
  return {
    ${page}sv,
    ${style}sv,
    ${script}sv,
    \"${style_hash}\"sv,
    \"${script_hash}\"sv};
}

}  // namespace ${NAMESPACE}
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
