#include "sharedobject.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace steptree::cabi {

namespace {

/// Of a file that was cut, pages are mapped that aren't there: the first use of one is a SIGBUS.
/// What else is wrong the loader finds by itself.
bool isCut(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    ElfW(Ehdr) header{};
    file.read(reinterpret_cast<char*>(&header), sizeof(header));
    if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (header.e_phentsize != sizeof(ElfW(Phdr))) return false;
    const std::uintmax_t size = std::filesystem::file_size(path);
    file.seekg(static_cast<std::streamoff>(header.e_phoff));
    for (int i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) part{};
        file.read(reinterpret_cast<char*>(&part), sizeof(part));
        if (!file) return true;
        if (part.p_type != PT_LOAD) continue;
        if (part.p_filesz > size || part.p_offset > size - part.p_filesz) return true;
    }
    return false;
}

/// What the loader says begins with the file, which is a copy.
std::string withoutCopy(std::string_view text, const std::string& copy) {
    const bool names = text.substr(0, copy.size()) == copy && text.substr(copy.size(), 2) == ": ";
    return std::string(names ? text.substr(copy.size() + 2) : text);
}

}  // namespace

SharedObject::SharedObject(const std::string& path, std::string copy, bool isKept)
    : copy_(std::move(copy)) {
    std::error_code failure;
    std::string why;
    std::filesystem::copy_file(path, copy_, failure);
    if (failure) {
        why = failure.message();
    } else if (isCut(copy_)) {
        why = "the file is cut: parts of it are missing";
    } else {
        library_ = dlopen(copy_.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) why = withoutCopy(dlerror(), copy_);
    }
    if (!isKept) {
        const std::filesystem::path folder = std::filesystem::path(copy_).parent_path();
        removeCopy();
        std::filesystem::remove(folder, failure);
    }
    if (library_ != nullptr) return;
    removeCopy();
    throw std::runtime_error(why);
}

SharedObject::~SharedObject() {
    if (library_ != nullptr) dlclose(library_);
    removeCopy();
}

void SharedObject::removeCopy() noexcept {
    std::error_code ignored;
    if (!copy_.empty()) std::filesystem::remove(copy_, ignored);
    copy_.clear();
}

void* SharedObject::find(const char* name) const noexcept {
    return dlsym(library_, name);
}

namespace {

struct Search {
    std::uintptr_t address;
    AddressRange found;
};

int look(dl_phdr_info* info, std::size_t, void* data) {
    Search& search = *static_cast<Search*>(data);
    AddressRange range{UINTPTR_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD) continue;
        const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
        range.begin = std::min(range.begin, begin);
        range.end = std::max(range.end, begin + part.p_memsz);
    }
    if (search.address < range.begin || search.address >= range.end) return 0;
    search.found = range;
    return 1;
}

}  // namespace

AddressRange rangeAround(std::uintptr_t address) noexcept {
    Search search{address, {}};
    dl_iterate_phdr(&look, &search);
    return search.found;
}

}  // namespace steptree::cabi
