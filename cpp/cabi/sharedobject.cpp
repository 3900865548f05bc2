#include "sharedobject.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace steptree::cabi {

SharedObject::SharedObject(const std::string& path, std::string copy, bool isKept)
    : copy_(std::move(copy)) {
    std::error_code failure;
    std::filesystem::copy_file(path, copy_, failure);
    if (!failure) library_ = dlopen(copy_.c_str(), RTLD_NOW | RTLD_LOCAL);
    const std::string why = failure               ? failure.message()
                            : library_ == nullptr ? dlerror()
                                                  : std::string();
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
