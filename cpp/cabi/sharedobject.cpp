#include "sharedobject.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace steptree::cabi {

SharedObject::SharedObject(const std::string& path, std::string copy) : copy_(std::move(copy)) {
    std::filesystem::copy_file(path, copy_);
    library_ = dlopen(copy_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ != nullptr) return;
    const std::string why = dlerror();
    std::error_code ignored;
    std::filesystem::remove(copy_, ignored);
    throw std::runtime_error(why);
}

SharedObject::~SharedObject() {
    if (library_ != nullptr) dlclose(library_);
    std::error_code ignored;
    std::filesystem::remove(copy_, ignored);
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
