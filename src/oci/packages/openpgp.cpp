#include "oci/packages/openpgp.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "oci/byte_stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <fmt/format.h>
#include <openssl/evp.h>

#include <poll.h>
#include <unistd.h>

namespace slipway::oci::packages {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxKeyring = 4u << 20;
constexpr std::size_t kMaxSigned = 32u << 20;
constexpr std::size_t kMaxStatus = 4u << 20;
constexpr std::chrono::seconds kPatience(60);
constexpr std::string_view kBegin = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
constexpr std::string_view kEnd = "-----END PGP PUBLIC KEY BLOCK-----";

[[noreturn]] void refuse(const std::string& what, std::string_view why) {
    throw UserError("REPOSITORY-SIGNATURE",
                    fmt::format("the signature of {} does not hold", printable(what)),
                    {.cause = std::string(why),
                     .remedy = "give the keyring of whoever makes the repository, or use another "
                               "mirror"});
}

std::string from_base64(std::string_view text) {
    std::string packed;
    std::ranges::copy_if(text, std::back_inserter(packed),
                         [](char c) { return c != '\n' && c != '\r' && c != ' ' && c != '\t'; });
    std::string out(packed.size(), '\0');
    const int n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                  reinterpret_cast<const unsigned char*>(packed.data()),
                                  static_cast<int>(packed.size()));
    if (n < 0) {
        throw UserError("REPOSITORY-KEYRING", "the keyring is damaged: it is not base64",
                        {.remedy = "fetch it again"});
    }
    out.resize(static_cast<std::size_t>(n));
    const std::size_t padding = packed.ends_with("==") ? 2 : packed.ends_with('=') ? 1 : 0;
    out.resize(out.size() - std::min(padding, out.size()));
    return out;
}

// Headers end with an empty line, the checksum begins with =.
std::string armoured_data(std::string_view block) {
    std::string out;
    bool in_data = false;
    const std::vector<std::string> lines = split(block, '\n');
    for (std::size_t i = 1; i < lines.size(); ++i) {  // the first ends the line of BEGIN
        const std::string_view line = trim(lines[i]);
        if (in_data && line.starts_with('=')) break;
        if (in_data) out += line;
        if (line.empty()) in_data = true;
    }
    return out;
}

// One signed text and its signatures, nothing before, between or after: gpgv would put out the
// texts of several, and a good signature of the first says nothing about the second.
void require_single(std::string_view text, const std::string& what) {
    std::vector<std::string> marks;
    bool is_outside = false;
    for (const std::string& line : split(text, '\n')) {
        const std::string_view trimmed = trim(line);
        if (line.starts_with("-----")) {
            marks.emplace_back(trimmed);
            is_outside = line.starts_with("-----END");
        } else if ((marks.empty() || is_outside) && !trimmed.empty()) {
            refuse(what, "something stands outside of what is signed");
        }
    }
    const std::vector<std::string> wanted = {"-----BEGIN PGP SIGNED MESSAGE-----",
                                             "-----BEGIN PGP SIGNATURE-----",
                                             "-----END PGP SIGNATURE-----"};
    if (marks != wanted) refuse(what, "it is not one signed text");
}

fs::path spooled(Spool& spool, std::string_view text) {
    fs::path path = spool.new_path();
    const Fd file = new_file(path, 0600);
    write_fully(file.get(), text, path.string());
    return path;
}

// What the lines of --status-fd say. Only GOODSIG is a signature whose key is good today.
void judge(const std::string& status, const std::string& what) {
    std::size_t good = 0;
    std::vector<std::string> others;
    for (const std::string& line : split(status, '\n')) {
        const std::vector<std::string> words = split(line, ' ');
        if (words.size() < 3 || words[0] != "[GNUPG:]") continue;
        if (words[1] == "BADSIG") refuse(what, "it was changed after it was signed");
        if (words[1] == "GOODSIG") ++good;
        if (words[1] == "EXPKEYSIG" || words[1] == "EXPSIG") {
            others.push_back(words[2] + " (expired)");
        } else if (words[1] == "REVKEYSIG") {
            others.push_back(words[2] + " (revoked)");
        } else if (words[1] == "NO_PUBKEY") {
            others.push_back(words[2] + " (not in the keyring)");
        }
    }
    if (good > 0) return;
    refuse(what, others.empty() ? "it has no signature that can be checked"
                                : "it is signed by " + join(others, ", "));
}

// Both pipes are emptied as they fill: what it writes for people is as long as the mirror likes,
// and nobody reads it. However much there is to check, it has to end.
std::string status_of(Subprocess& gpgv, const std::string& what) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    std::string status;
    std::array<pollfd, 2> pipes = {{{gpgv.out(), POLLIN, 0}, {gpgv.err(), POLLIN, 0}}};
    while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0 || status.size() > kMaxStatus) {
            gpgv.end();
            refuse(what, "it has more signatures than can be checked");
        }
        if (::poll(pipes.data(), pipes.size(), static_cast<int>(left.count())) < 0) continue;
        for (pollfd& pipe : pipes) {
            if (pipe.revents == 0) continue;
            std::array<char, 16384> room{};
            const ssize_t n = ::read(pipe.fd, room.data(), room.size());
            if (n < 0 && errno == EINTR) continue;
            if (n > 0 && pipe.fd == gpgv.out()) status.append(room.data(), static_cast<size_t>(n));
            if (n <= 0) pipe.fd = -1;
        }
    }
    return status;
}

void run_gpgv(std::vector<std::string> arguments, const fs::path& keyring, const std::string& what,
              Spool& spool) {
    const fs::path binary = spooled(spool, without_armour(read_file(keyring, kMaxKeyring)));
    std::vector<std::string> argv = {"gpgv",      "--status-fd",  "1", "--weak-digest", "SHA1",
                                     "--keyring", binary.string()};
    std::ranges::move(arguments, std::back_inserter(argv));
    Subprocess gpgv({.argv = argv, .env = {{"LC_ALL", "C"}}});
    gpgv.close_in();
    const std::string status = status_of(gpgv, what);
    gpgv.wait();  // its code also counts keys we were not given: what it says is what matters
    judge(status, what);
}

}  // namespace

std::string without_armour(std::string_view keyring) {
    if (keyring.find(kBegin) == std::string_view::npos) return std::string(keyring);
    std::string out;
    for (std::size_t at = keyring.find(kBegin); at != std::string_view::npos;
         at = keyring.find(kBegin, at)) {
        at += kBegin.size();
        const std::size_t end = keyring.find(kEnd, at);
        const std::string_view block =
            keyring.substr(at, end == std::string_view::npos ? end : end - at);
        out += from_base64(armoured_data(block));
    }
    return out;
}

std::string verified_inline(std::string_view signed_text, const fs::path& keyring,
                            const std::string& what, Spool& spool) {
    require_single(signed_text, what);
    const fs::path text = spooled(spool, signed_text), plain = spool.new_path();
    run_gpgv({"--output", plain.string(), "--", text.string()}, keyring, what, spool);
    return read_file(plain, kMaxSigned);
}

void verify_detached(std::string_view text, std::string_view signature, const fs::path& keyring,
                     const std::string& what, Spool& spool) {
    const fs::path text_file = spooled(spool, text), signature_file = spooled(spool, signature);
    run_gpgv({"--", signature_file.string(), text_file.string()}, keyring, what, spool);
}

}  // namespace slipway::oci::packages
