# Makes of the page FROM the source TO, which has it inside.
file(READ ${FROM} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
file(WRITE ${TO} "#include \"pagefile.hpp\"

namespace steptree::detail::inspecting {

namespace {

constexpr unsigned char kPageBytes[] = {${bytes}};

}  // namespace

std::string_view pageFile() noexcept {
    return {reinterpret_cast<const char*>(kPageBytes), sizeof kPageBytes};
}

}  // namespace steptree::detail::inspecting
")
