#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace steptree::cabi {

/// A place for a copy of a file. The copy is removed with it, as is the folder that was made for
/// it.
class CopyPlace {
  public:
    CopyPlace() noexcept = default;
    CopyPlace(std::string path, bool hasFolder) noexcept
        : path_(std::move(path)), hasFolder_(hasFolder) {}
    CopyPlace(CopyPlace&& other) noexcept
        : path_(std::exchange(other.path_, {})), hasFolder_(other.hasFolder_) {}
    CopyPlace& operator=(CopyPlace&& other) noexcept {
        path_.swap(other.path_);
        std::swap(hasFolder_, other.hasFolder_);
        return *this;
    }
    ~CopyPlace() { remove(); }

    const std::string& path() const noexcept { return path_; }
    bool hasFolder() const noexcept { return hasFolder_; }
    /// Needs no memory.
    void remove() noexcept;

  private:
    std::string path_;  // empty: it is gone
    bool hasFolder_ = false;
};

/// A shared object that is loaded from a copy of its file, since the loader knows files, and the
/// original may be overwritten. Destroying it unloads it.
class SharedObject {
  public:
    /// Throws std::runtime_error. A copy in a folder of its own is removed once it is loaded.
    SharedObject(const std::string& path, CopyPlace copy);

    /// Null: it has no such function.
    template <class F>
    F* function(const char* name) const noexcept {
        return reinterpret_cast<F*>(find(name));
    }

    /// It stays loaded for ever.
    void abandon() noexcept { static_cast<void>(library_.release()); }

  private:
    struct Unload {
        void operator()(void* library) const noexcept;
    };

    void* find(const char* name) const noexcept;

    CopyPlace copy_;
    std::unique_ptr<void, Unload> library_;
};

/// Where the object lies that has this function.
struct AddressRange {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};
AddressRange rangeAround(std::uintptr_t address) noexcept;

}  // namespace steptree::cabi
