# Makes of the scripts below FROM the source TO, which has them inside: as `tools/redis/scripts.ts` does it for JavaScript.

# Lines that only say something aren't sent. What `-- uses: NAME` names stands before the script, but for a first line of flags.
function(code_of name result)
  file(READ ${FROM}/${name}.lua text)
  set(all "")
  if(text MATCHES "^#![^\n]*\n")
    set(all "${CMAKE_MATCH_0}")
    string(REGEX REPLACE "^#![^\n]*\n" "" text "${text}")
  endif()
  if(text MATCHES "-- uses: ([^\n]+)")
    string(REPLACE " " ";" used "${CMAKE_MATCH_1}")
    foreach(other ${used})
      code_of(${other} code)
      string(APPEND all "${code}\n")
    endforeach()
  endif()
  string(REGEX REPLACE "\n[ \t]+" "\n" text "\n${text}\n")
  string(REGEX REPLACE "\n--[^\n]*" "" text "${text}")
  string(REGEX REPLACE "[ \t]*\n+" "\n" text "${text}")
  string(STRIP "${text}" text)
  set(${result} "${all}${text}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE ${FROM} ${FROM}/*.lua)
list(FILTER files EXCLUDE REGEX "(^|/)_")
list(SORT files)
set(entries "")
foreach(file ${files})
  string(REGEX REPLACE "\\.lua$" "" name ${file})
  code_of(${name} code)
  string(SHA1 sha "${code}")
  string(APPEND entries "    {\"${name}\", R\"lua(${code})lua\", \"${sha}\"},\n")
endforeach()
file(WRITE ${TO} "#include <algorithm>

#include \"scripts.hpp\"

namespace steptree::detail::redis {

namespace {

constexpr Script kScripts[] = {
${entries}};

}  // namespace

const Script& scriptOf(std::string_view name) noexcept {
    return *std::ranges::find(kScripts, name, &Script::name);
}

std::span<const Script> allScripts() noexcept { return kScripts; }

}  // namespace steptree::detail::redis
")
