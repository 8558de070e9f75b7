#include "base/secret.hpp"

#include <cstring>
#include <utility>

#include <openssl/crypto.h>

namespace slipway {

Secret::Secret(std::string_view bytes)
    : bytes_(bytes.empty() ? nullptr : new char[bytes.size()]), size_(bytes.size()) {
    if (size_ > 0) std::memcpy(bytes_.get(), bytes.data(), size_);
}

Secret::~Secret() { wipe(); }

Secret::Secret(Secret&& other) noexcept
    : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this != &other) {
        wipe();
        bytes_ = std::move(other.bytes_);
        size_ = std::exchange(other.size_, 0);
    }
    return *this;
}

void Secret::wipe() {
    if (bytes_) OPENSSL_cleanse(bytes_.get(), size_);
    bytes_.reset();
    size_ = 0;
}

void wipe(std::string& text) {
    if (!text.empty()) OPENSSL_cleanse(text.data(), text.size());
    text.clear();
}

}  // namespace slipway
