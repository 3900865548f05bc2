#include "sharedobject.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

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

void CopyPlace::remove() noexcept {
    if (path_.empty()) return;
    ::unlink(path_.c_str());
    if (hasFolder_) {
        path_.resize(path_.rfind('/'));
        ::rmdir(path_.c_str());
    }
    path_.clear();
}

SharedObject::SharedObject(const std::string& path, CopyPlace copy) : copy_(std::move(copy)) {
    std::error_code failure;
    std::filesystem::copy_file(path, copy_.path(), failure);
    if (failure) throw std::runtime_error(failure.message());
    if (isCut(copy_.path())) throw std::runtime_error("the file is cut: parts of it are missing");
    library_.reset(dlopen(copy_.path().c_str(), RTLD_NOW | RTLD_LOCAL));
    if (library_ == nullptr) throw std::runtime_error(withoutCopy(dlerror(), copy_.path()));
    if (copy_.hasFolder()) copy_.remove();
}

void SharedObject::Unload::operator()(void* library) const noexcept {
    dlclose(library);
}

void* SharedObject::find(const char* name) const noexcept {
    return dlsym(library_.get(), name);
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
