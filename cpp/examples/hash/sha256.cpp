#include "sha256.hpp"

#include <openssl/evp.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <steptree/error.hpp>
#include <vector>

using steptree::StepError;
namespace errors = steptree::errors;

namespace {

class Digest {
  public:
    Digest() {
        check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
    }

    void update(const char* data, std::size_t size) {
        check(EVP_DigestUpdate(context_.get(), data, size) == 1);
    }

    std::string hex() {
        unsigned char bytes[EVP_MAX_MD_SIZE];
        unsigned size = 0;
        check(EVP_DigestFinal_ex(context_.get(), bytes, &size) == 1);
        std::string text;
        for (unsigned i = 0; i < size; ++i) {
            text += "0123456789abcdef"[bytes[i] >> 4];
            text += "0123456789abcdef"[bytes[i] & 15];
        }
        return text;
    }

  private:
    static void check(bool worked) {
        if (!worked) throw StepError(errors::InternalError, "OpenSSL refused");
    }

    struct Free {
        void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

}  // namespace

std::string sha256(const std::stop_token& stop, const std::string& path,
                   std::atomic<std::uint64_t>& done) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw StepError("FileError", path + ": " + std::strerror(errno));
    Digest digest;
    std::vector<char> block(1 << 20);
    while (file) {
        if (stop.stop_requested()) throw StepError(errors::Canceled);
        file.read(block.data(), static_cast<std::streamsize>(block.size()));
        const auto size = static_cast<std::size_t>(file.gcount());
        digest.update(block.data(), size);
        done += size;
    }
    if (file.bad()) throw StepError("FileError", path + ": " + std::strerror(errno));
    return digest.hex();
}
