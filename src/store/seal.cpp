#include "store/seal.hpp"

#include "base/files.hpp"
#include "store/state_errors.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::store {

namespace {

constexpr std::size_t kKeySize = 32;
constexpr std::size_t kNonceSize = 12;
constexpr std::size_t kTagSize = 16;
constexpr char kFormat = 1;
constexpr std::string_view kPurpose = "slipway sealed secret v1:";

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

Cipher new_cipher() {
    Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    if (!cipher) throw std::bad_alloc();
    return cipher;
}

void require(int ok) {
    if (ok != 1) throw StateError("STATE-CRYPTO", "OpenSSL refused an AES-256-GCM operation");
}

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

// Wipes a buffer that holds clear text or a key, also when an exception passes.
struct Wiped {
    std::string text;
    ~Wiped() { wipe(text); }
};

Secret read_key(const Path& key_file) {
    const Fd fd(::open(key_file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) throw bad_key(key_file, std::strerror(errno));
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0) throw bad_key(key_file, std::strerror(errno));
    if (!S_ISREG(info.st_mode)) throw bad_key(key_file, "it is not a regular file");
    if ((info.st_mode & 07177) != 0) {
        throw bad_key(key_file, fmt::format("its mode is {:04o}: others may have read it",
                                            info.st_mode & 07777));
    }
    Wiped buffer{std::string(kKeySize + 1, '\0')};
    const ssize_t size = ::read(fd.get(), buffer.text.data(), buffer.text.size());
    if (size != static_cast<ssize_t>(kKeySize)) {
        throw bad_key(key_file, fmt::format("it does not hold {} bytes", kKeySize));
    }
    return Secret(std::string_view(buffer.text).substr(0, kKeySize));
}

// Whole or not at all, and never over an existing key: that would lose every sealed secret.
void make_key(const Path& key_file) {
    Wiped key{std::string(kKeySize, '\0')};
    require(RAND_priv_bytes(bytes_of(key.text), kKeySize));
    const Path temporary = key_file.string() + ".new";
    ::unlink(temporary.c_str());  // of a process killed at this point
    const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd) throw bad_key(key_file, std::strerror(errno));
    const bool written =
        ::fchmod(fd.get(), 0600) == 0 &&
        ::write(fd.get(), key.text.data(), kKeySize) == static_cast<ssize_t>(kKeySize) &&
        ::fsync(fd.get()) == 0 &&
        (::link(temporary.c_str(), key_file.c_str()) == 0 || errno == EEXIST);
    const int failure = errno;
    ::unlink(temporary.c_str());
    if (!written) throw bad_key(key_file, std::strerror(failure));
    sync_folder(key_file.has_parent_path() ? key_file.parent_path() : ".");
}

}  // namespace

Sealer Sealer::open_existing(const Path& key_file) { return Sealer(read_key(key_file)); }

Sealer Sealer::create_or_open(const Path& key_file) {
    if (::access(key_file.c_str(), F_OK) != 0 && errno == ENOENT) make_key(key_file);
    return Sealer(read_key(key_file));
}

std::string Sealer::seal(std::string_view name, const Secret& secret) const {
    const std::string_view clear = secret.reveal();
    std::string out(1 + kNonceSize + clear.size() + kTagSize, '\0');
    out[0] = kFormat;
    unsigned char* nonce = bytes_of(out) + 1;
    unsigned char* body = nonce + kNonceSize;
    require(RAND_bytes(nonce, kNonceSize));
    const Cipher cipher = new_cipher();
    int size = 0;
    require(EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key_.reveal()),
                               nonce));
    require(EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytes_of(kPurpose),
                              static_cast<int>(kPurpose.size())));
    require(EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytes_of(name),
                              static_cast<int>(name.size())));
    require(EVP_EncryptUpdate(cipher.get(), body, &size, bytes_of(clear),
                              static_cast<int>(clear.size())));
    require(EVP_EncryptFinal_ex(cipher.get(), body + size, &size));
    require(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagSize, body + clear.size()));
    return out;
}

Secret Sealer::open(std::string_view name, std::string_view sealed) const {
    if (sealed.size() < 1 + kNonceSize + kTagSize || sealed[0] != kFormat) {
        throw unsealable(std::string(name));
    }
    const std::string_view nonce = sealed.substr(1, kNonceSize);
    const std::string_view body =
        sealed.substr(1 + kNonceSize, sealed.size() - 1 - kNonceSize - kTagSize);
    std::string tag(sealed.substr(sealed.size() - kTagSize));
    Wiped clear{std::string(body.size() + 1, '\0')};
    const Cipher cipher = new_cipher();
    int size = 0;
    require(EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key_.reveal()),
                               bytes_of(nonce)));
    require(EVP_DecryptUpdate(cipher.get(), nullptr, &size, bytes_of(kPurpose),
                              static_cast<int>(kPurpose.size())));
    require(EVP_DecryptUpdate(cipher.get(), nullptr, &size, bytes_of(name),
                              static_cast<int>(name.size())));
    require(EVP_DecryptUpdate(cipher.get(), bytes_of(clear.text), &size, bytes_of(body),
                              static_cast<int>(body.size())));
    require(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagSize, tag.data()));
    if (EVP_DecryptFinal_ex(cipher.get(), bytes_of(clear.text) + size, &size) != 1) {
        throw unsealable(std::string(name));
    }
    return Secret(std::string_view(clear.text).substr(0, body.size()));
}

}  // namespace slipway::store
