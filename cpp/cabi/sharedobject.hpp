#pragma once

#include <cstdint>
#include <string>

namespace steptree::cabi {

/// A shared object that is loaded from a copy of its file, since the loader knows files, and the
/// original may be overwritten. Destroying it unloads it.
class SharedObject {
  public:
    /// Throws std::runtime_error. `copy`: where that is made; it's a file of this object. Not kept:
    /// it's removed once it is loaded, with the folder that it is alone in.
    SharedObject(const std::string& path, std::string copy, bool isKept);
    SharedObject(const SharedObject&) = delete;
    SharedObject& operator=(const SharedObject&) = delete;
    ~SharedObject();

    /// Null: it has no such function.
    template <class F>
    F* function(const char* name) const noexcept {
        return reinterpret_cast<F*>(find(name));
    }

    /// It stays loaded for ever.
    void abandon() noexcept { library_ = nullptr; }

  private:
    void* find(const char* name) const noexcept;
    void removeCopy() noexcept;

    std::string copy_;  // empty: it is gone
    void* library_ = nullptr;
};

/// Where the object lies that has this function.
struct AddressRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};
AddressRange rangeAround(std::uintptr_t address) noexcept;

}  // namespace steptree::cabi
