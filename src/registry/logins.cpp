#include "registry/logins.hpp"

#include "base/base64.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "net/headers.hpp"

#include <array>

#include <crypt.h>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include <sys/stat.h>

namespace slipway::registry {

namespace {

constexpr std::size_t kMostKnown = 10'000;

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
    const bool usable =
        colon != std::string_view::npos && text.find('\0') == std::string_view::npos;
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

Logins::Logins(std::filesystem::path file) : file_(std::move(file)), key_(random_hex(32)) {
    parse_logins(read_file(file_), file_.string());
}

void Logins::read_again_if_changed() {
    struct stat about{};
    if (::stat(file_.c_str(), &about) != 0) return;  // being replaced: the old ones hold
    // Two changes may fall into one tick of the clock: a replaced file is another inode.
    const Version now{about.st_mtim.tv_sec, about.st_mtim.tv_nsec, about.st_ino, about.st_size};
    if (now == read_) return;
    try {
        users_ = parse_logins(read_file(file_), file_.string());
    } catch (const UserError&) {
        return;  // half-written: the old ones hold
    }
    read_ = now;
    known_.clear();
}

bool Logins::accepts(std::string_view authorization) {
    const auto given = parse_basic(authorization);
    if (!given) return false;
    const std::string mark = Sha256().field(key_).field(given->user).field(given->password).hex();
    std::string hash;
    {
        const Lock lock(mutex_);
        read_again_if_changed();
        if (known_.contains(mark)) return true;
        // Whoever guesses names must not see from the time it takes which ones there are: the
        // password of an unknown user is compared with someone's, and then refused.
        const auto user = users_.find(given->user);
        if (users_.empty()) return false;
        hash = user == users_.end() ? users_.begin()->second : user->second;
    }
    const Lock one_at_a_time(checking_);
    if (!same(bcrypt(given->password, hash), hash)) return false;
    const Lock lock(mutex_);
    const auto user = users_.find(given->user);
    if (user == users_.end() || user->second != hash) return false;
    if (known_.size() < kMostKnown) known_.insert(mark);
    return true;
}

}  // namespace slipway::registry
