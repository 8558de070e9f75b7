#include "registry/logins.hpp"

#include "base/base64.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "net/headers.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <crypt.h>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include <sys/stat.h>

namespace slipway::registry {

namespace {

constexpr std::size_t kMostKnown = 10'000, kBcryptReads = 72;
constexpr int kMostWaiting = 16;
constexpr std::chrono::seconds kPatience{10};

bool is_bcrypt(std::string_view hash) {
    return hash.size() == 60 &&
           (hash.starts_with("$2a$") || hash.starts_with("$2b$") || hash.starts_with("$2y$"));
}

bool same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// The hash of a password with the cost and salt that `setting` begins with.
std::string bcrypt(const std::string& password, const std::string& setting) {
    crypt_data scratch{};
    const char* hash = crypt_r(password.c_str(), setting.c_str(), &scratch);
    std::string out = hash == nullptr ? "" : hash;
    OPENSSL_cleanse(&scratch, sizeof(scratch));
    return out;
}

struct Given {
    std::string user, password;
    ~Given() { wipe(password); }
};

std::optional<Given> parse_basic(std::string_view authorization) {
    const std::size_t blank = authorization.find(' ');
    if (blank == std::string_view::npos || !net::same_name(authorization.substr(0, blank), "basic"))
        return std::nullopt;
    const auto decoded = from_base64(authorization.substr(blank + 1));
    if (!decoded) return std::nullopt;
    const std::string_view text = decoded->reveal();
    const std::size_t colon = text.find(':');
    // A password with a zero byte would end there for bcrypt, and one longer than 72 bytes too.
    const bool usable = colon != std::string_view::npos &&
                        text.find('\0') == std::string_view::npos &&
                        text.size() - colon - 1 <= kBcryptReads;
    if (!usable) return std::nullopt;
    return Given{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

}  // namespace

std::map<std::string, std::string> parse_logins(std::string_view text, const std::string& name) {
    std::map<std::string, std::string> out;
    std::string problems;
    std::size_t number = 0;
    for (const std::string& line : split(text, '\n')) {
        ++number;
        if (line.empty() || line.starts_with('#')) continue;
        const std::size_t colon = line.find(':');
        if (colon == 0 || colon == std::string::npos) {
            problems += fmt::format("line {} has no user and password; ", number);
        } else if (!is_bcrypt(line.substr(colon + 1))) {
            problems += fmt::format("line {} is not hashed with bcrypt; ", number);
        } else if (!out.emplace(line.substr(0, colon), line.substr(colon + 1)).second) {
            problems += fmt::format("line {} names a user again; ", number);
        }
    }
    if (!problems.empty()) {
        throw UserError("LOGIN-FILE", fmt::format("{} is not a file of logins", name),
                        {.cause = problems.substr(0, problems.size() - 2),
                         .remedy = "write it with `slipway registry passwd`, or `htpasswd -B`"});
    }
    return out;
}

std::string with_login(std::string_view text, const std::string& user, const Secret* password) {
    std::map<std::string, std::string> users = parse_logins(text, "the file");
    users.erase(user);
    if (password != nullptr) {
        constexpr unsigned long kCost = 10;
        std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> salt{};
        crypt_gensalt_rn("$2b$", kCost, nullptr, 0, salt.data(), salt.size());
        std::string clear(password->reveal());
        users[user] = bcrypt(clear, salt.data());
        wipe(clear);
    }
    std::string out;
    for (const auto& [name, hash] : users) out += fmt::format("{}:{}\n", name, hash);
    return out;
}

Logins::Logins(std::filesystem::path file, std::function<void(const std::string&)> warn)
    : file_(std::move(file)), key_(random_hex(32)), warn_(std::move(warn)) {
    parse_logins(read_file(file_), file_.string());
}

void Logins::read_again_if_changed() {
    struct stat about{};
    // Being replaced, or gone for good: the old ones hold.
    if (::stat(file_.c_str(), &about) != 0) return cannot_read_again(std::strerror(errno));
    // Two changes may fall into one tick of the clock: a replaced file is another inode.
    const Version now{about.st_mtim.tv_sec, about.st_mtim.tv_nsec, about.st_ino, about.st_size};
    if (now == read_) return;
    try {
        users_ = parse_logins(read_file(file_), file_.string());
    } catch (const UserError& e) {
        return cannot_read_again(e.message());  // half-written, or not ours to read
    }
    read_ = now;
    known_.clear();
    has_warned_ = false;
}

void Logins::cannot_read_again(const std::string& why) {
    if (!has_warned_ && warn_) {
        warn_(fmt::format("the logins read before stay in force: {}: {}", file_.string(), why));
    }
    has_warned_ = true;
}

// Whoever guesses names must not see from the time it takes which ones there are: the password of
// an unknown user is compared with someone's, of the greatest cost, and then refused.
std::string Logins::hash_for(const std::string& user) const {
    const auto found = users_.find(user);
    if (found != users_.end()) return found->second;
    std::string out;
    const auto cost = [](const std::string& hash) { return hash.substr(4, 2); };
    for (const auto& [name, hash] : users_) {
        if (out.empty() || cost(hash) > cost(out)) out = hash;
    }
    return out;
}

Logins::Verdict Logins::check(std::string_view authorization) {
    const auto given = parse_basic(authorization);
    if (!given) return Verdict::wrong;
    const std::string mark = Sha256().field(key_).field(given->user).field(given->password).hex();
    std::string hash;
    {
        const Lock lock(mutex_);
        read_again_if_changed();
        if (known_.contains(mark)) return Verdict::right;
        hash = hash_for(given->user);
        if (hash.empty()) return Verdict::wrong;
        if (waiting_ >= kMostWaiting) return Verdict::busy;
        ++waiting_;
    }
    const bool has_turn = free_.try_acquire_for(kPatience);
    const bool fits = has_turn && same(bcrypt(given->password, hash), hash);
    if (has_turn) free_.release();
    const Lock lock(mutex_);
    --waiting_;
    if (!has_turn) return Verdict::busy;
    const auto user = users_.find(given->user);
    if (!fits || user == users_.end() || user->second != hash) return Verdict::wrong;
    if (known_.size() >= kMostKnown) known_.clear();
    known_.insert(mark);
    return Verdict::right;
}

}  // namespace slipway::registry
