#include "oci/bundle_signature.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "oci/bundle_errors.hpp"
#include "oci/pack.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace slipway::oci {

namespace {

constexpr std::size_t kKeyBytes = 32, kSignatureBytes = 64;
constexpr std::string_view kPurpose = "slipway-bundle-v1\n";  // so that it means nothing elsewhere

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using MdContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

const unsigned char* raw(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

[[noreturn]] void bad_key(std::string_view why) {
    throw UserError("BUNDLE-KEY", fmt::format("the key cannot be used: {}", why),
                    {.remedy = "make a pair with: slipway bundle keygen NAME"});
}

Bio memory(std::string_view text) {
    return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}

// An encrypted key must not make OpenSSL ask on the terminal.
int no_password(char*, int, int, void*) { return 0; }

std::string text_of(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

Key private_key(std::string_view seed) {
    return {EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, raw(seed), seed.size()),
            &EVP_PKEY_free};
}

Key public_part(std::string_view bytes) {
    return {EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw(bytes), bytes.size()),
            &EVP_PKEY_free};
}

std::string message_of(const BundleIndex& index) {
    return std::string(kPurpose) + index.content_digest.str() + "\n";
}

bool is_signed_by(const PublicKey& key, std::string_view message, std::string_view signature) {
    const Key made = public_part(key.bytes);
    const MdContext context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
    return made != nullptr && signature.size() == kSignatureBytes &&
           EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, made.get()) == 1 &&
           EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(message),
                            message.size()) == 1;
}

}  // namespace

std::string PublicKey::id() const { return sha256_hex(bytes); }

std::string PublicKey::pem() const {
    const Key key = public_part(bytes);
    const Bio out{BIO_new(BIO_s_mem()), &BIO_free};
    if (!key || PEM_write_bio_PUBKEY(out.get(), key.get()) != 1) bad_key("it is not Ed25519");
    return text_of(out.get());
}

SigningKey SigningKey::generate() {
    std::string seed = from_hex(random_hex(kKeyBytes));
    Secret kept(seed);
    wipe(seed);
    return SigningKey(std::move(kept));
}

SigningKey SigningKey::from_pem(std::string_view pem) {
    const Key key{PEM_read_bio_PrivateKey(memory(pem).get(), nullptr, no_password, nullptr),
                  &EVP_PKEY_free};
    if (!key) bad_key("it is no private key in PEM form, or it is encrypted");
    std::string seed(kKeyBytes, '\0');
    std::size_t size = seed.size();
    if (EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519 ||
        EVP_PKEY_get_raw_private_key(key.get(), reinterpret_cast<unsigned char*>(seed.data()),
                                     &size) != 1) {
        bad_key("it is not an Ed25519 key");
    }
    Secret kept(seed);
    wipe(seed);
    return SigningKey(std::move(kept));
}

PublicKey SigningKey::public_key() const {
    const Key key = private_key(seed_.reveal());
    PublicKey out{std::string(kKeyBytes, '\0')};
    std::size_t size = kKeyBytes;
    EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(out.bytes.data()),
                                &size);
    return out;
}

Secret SigningKey::pem() const {
    const Key key = private_key(seed_.reveal());
    const Bio out{BIO_new(BIO_s_secmem()), &BIO_free};
    if (PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                      nullptr) != 1) {
        bad_key("it cannot be written");
    }
    std::string text = text_of(out.get());
    Secret kept(text);
    wipe(text);
    return kept;
}

std::string SigningKey::sign(std::string_view message) const {
    const Key key = private_key(seed_.reveal());
    const MdContext context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
    std::string out(kSignatureBytes, '\0');
    std::size_t size = out.size();
    if (EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
        EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                       raw(message), message.size()) != 1) {
        bad_key("signing failed");
    }
    return out;
}

PublicKey public_key_from_pem(std::string_view pem) {
    const Key key{PEM_read_bio_PUBKEY(memory(pem).get(), nullptr, no_password, nullptr),
                  &EVP_PKEY_free};
    if (!key) bad_key("it is no public key in PEM form");
    PublicKey out{std::string(kKeyBytes, '\0')};
    std::size_t size = kKeyBytes;
    if (EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519 ||
        EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(out.bytes.data()),
                                    &size) != 1) {
        bad_key("it is not an Ed25519 key");
    }
    return out;
}

PublicKey read_public_key(const std::filesystem::path& path) {
    return public_key_from_pem(read_file(path, 64u << 10));
}

SigningKey read_signing_key(const std::filesystem::path& path) {
    struct stat info{};
    if (::stat(path.c_str(), &info) == 0 && (info.st_mode & 077) != 0) {
        throw UserError("BUNDLE-KEY", fmt::format("others may read {}", printable(path.string())),
                        {.remedy = fmt::format("chmod 600 {}", printable(path.string()))});
    }
    std::string pem = read_file(path, 64u << 10);
    SigningKey key = SigningKey::from_pem(pem);
    wipe(pem);
    return key;
}

std::vector<BundleSignature> parse_signatures(std::string_view block) {
    std::vector<BundleSignature> out;
    const std::size_t end = block.find('\0');
    if (end != std::string_view::npos &&
        block.find_first_not_of('\0', end) != std::string_view::npos) {
        bundle_damaged("its signatures", "something stands behind them");
    }
    std::string_view text = block.substr(0, end);
    if (!text.empty() && text.back() != '\n') bundle_damaged("its signatures", "a line has no end");
    while (!text.empty()) {
        const std::size_t line_end = text.find('\n');
        const std::vector<std::string> words = split(text.substr(0, line_end), ' ');
        const auto is_hex = [](const std::string& word, std::size_t bytes) {
            return word.size() == 2 * bytes && std::ranges::all_of(word, [](char c) {
                       return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                   });
        };
        if (words.size() != 3 || words[0] != "ed25519" || !is_hex(words[1], kKeyBytes) ||
            !is_hex(words[2], kSignatureBytes)) {
            bundle_damaged("its signatures", "a line is not a signature");
        }
        out.push_back({words[1], words[2]});
        text.remove_prefix(line_end + 1);
    }
    return out;
}

std::string signature_block(const std::vector<BundleSignature>& signatures) {
    std::string out;
    for (const BundleSignature& s : signatures) {
        out += fmt::format("ed25519 {} {}\n", s.key_id, s.signature);
    }
    if (out.size() > kSignatureBlock) {
        throw UserError("BUNDLE-SIGNATURE", "the bundle has no room for one more signature");
    }
    out.resize(kSignatureBlock, '\0');
    return out;
}

void sign_bundle(const std::filesystem::path& path, const SigningKey& key) {
    const BundleReader bundle(path);
    const std::string id = key.public_key().id();
    std::vector<BundleSignature> all = parse_signatures(bundle.signature_block());
    std::erase_if(all, [&](const BundleSignature& s) { return s.key_id == id; });
    all.push_back({id, to_hex(key.sign(message_of(bundle.index())))});
    std::ranges::sort(all, std::ranges::less{}, &BundleSignature::key_id);
    const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file) {
        throw StateError("BUNDLE-WRITE",
                         fmt::format("cannot write {}: {}", bundle.name(), std::strerror(errno)));
    }
    // One aligned block: a power cut leaves the old or the new one, and a torn one is refused.
    write_at(file.get(), signature_block(all), signature_offset(bundle.index()), bundle.name());
    ::fsync(file.get());
}

namespace {

std::string short_ids(const std::vector<std::string>& ids) {
    std::vector<std::string> out;
    for (const std::string& id : ids) out.push_back(id.substr(0, 16));
    return join(out, ", ");
}

[[noreturn]] void signer_unknown(const BundleReader& bundle,
                                 const std::vector<std::string>& signers,
                                 const std::vector<PublicKey>& trusted) {
    std::vector<std::string> wanted;
    for (const PublicKey& key : trusted) wanted.push_back(key.id());
    throw UserError("BUNDLE-SIGNER-UNKNOWN",
                    fmt::format("{} is not signed by a key you trust", bundle.name()),
                    {.cause = fmt::format("signed by {}; trusted: {}", short_ids(signers),
                                          wanted.empty() ? "no key" : short_ids(wanted)),
                     .remedy = "when the key is its maker's: slipway bundle trust add KEY.pub"});
}

}  // namespace

Signers find_signers(const BundleReader& bundle, const std::vector<PublicKey>& trusted) {
    const std::vector<BundleSignature> all = parse_signatures(bundle.signature_block());
    if (all.empty()) return {};
    const std::string message = message_of(bundle.index());
    Signers out;
    for (const BundleSignature& s : all) {
        const auto key = std::ranges::find(trusted, s.key_id, &PublicKey::id);
        if (key == trusted.end()) {
            out.strangers.push_back(s.key_id);
        } else if (!is_signed_by(*key, message, from_hex(s.signature))) {
            // Even beside a good one: someone has tampered with the file.
            throw UserError(
                "BUNDLE-SIGNATURE", fmt::format("a signature of {} does not hold", bundle.name()),
                {.cause =
                     fmt::format("what key {} signed is not this content", s.key_id.substr(0, 16)),
                 .remedy = "take the bundle from its maker again"});
        } else if (out.trusted.empty()) {
            out.trusted = s.key_id;
        }
    }
    return out;
}

std::string require_signature(const BundleReader& bundle, const std::vector<PublicKey>& trusted) {
    const Signers found = find_signers(bundle, trusted);
    if (found.is_unsigned()) {
        throw UserError(
            "BUNDLE-UNSIGNED", fmt::format("{} is not signed", bundle.name()),
            {.cause = "nobody says who made it",
             .remedy = "take it from its maker again, or sign it: slipway bundle sign"});
    }
    if (found.trusted.empty()) signer_unknown(bundle, found.strangers, trusted);
    return found.trusted;
}

}  // namespace slipway::oci
