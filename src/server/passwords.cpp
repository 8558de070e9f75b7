#include "server/passwords.hpp"

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "server/problem.hpp"
#include "server/secrets_match.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace slipway::server {

namespace {

namespace fs = std::filesystem;

// 32 MiB and about a tenth of a second: one guess at a time goes through the gate.
constexpr std::uint64_t kN = 1u << 15, kR = 8, kP = 1;
constexpr std::uint64_t kMostMemory = 256u << 20;
constexpr std::size_t kShortest = 10, kLongest = 1024;

// Eighty bits in letters nobody mistakes for others: K3QF-7TZM-…
Secret random_code() {
    constexpr std::string_view kLetters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    std::string random = random_hex(16), out;
    for (std::size_t i = 0; i < 16; ++i) {
        if (i > 0 && i % 4 == 0) out += '-';
        out += kLetters[std::stoul(random.substr(2 * i, 2), nullptr, 16) % kLetters.size()];
    }
    wipe(random);
    Secret code(out);
    wipe(out);
    return code;
}

[[noreturn]] void damaged(const fs::path& file) {
    throw StateError("STATE-DAMAGED", fmt::format("{} cannot be understood", file.string()),
                     {.cause = "it was changed, or written by another program",
                      .remedy = "put a copy back; without it the password has to be set anew"});
}

}  // namespace

Passwords::Passwords(fs::path folder) : folder_(std::move(folder)) { load(); }

void Passwords::load() {
    const Lock lock(mutex_);
    const auto text = read_file_if_any(folder_ / "users.json");
    if (!text) return;
    boost::system::error_code failure;
    const json::value root = json::parse(*text, failure);
    const json::value* kept =
        !failure && root.is_object() ? root.get_object().if_contains("admin") : nullptr;
    if (kept == nullptr || !kept->is_object()) damaged(folder_ / "users.json");
    const json::object& admin = kept->get_object();
    const auto number = [&](const char* key) {
        return static_cast<std::uint64_t>(int_at(admin, key));
    };
    kept_ = {.n = number("n"),
             .r = number("r"),
             .p = number("p"),
             .salt = string_at(admin, "salt"),
             .hash = string_at(admin, "scrypt")};
    if (kept_.hash.size() != 64 || kept_.salt.empty()) damaged(folder_ / "users.json");
}

std::string Passwords::hash_of(std::string_view password, const Kept& how) {
    std::array<unsigned char, 32> out{};
    if (EVP_PBE_scrypt(password.data(), password.size(),
                       reinterpret_cast<const unsigned char*>(how.salt.data()), how.salt.size(),
                       how.n, how.r, how.p, kMostMemory, out.data(), out.size()) != 1)
        throw StateError("STATE-DAMAGED", "the password cannot be hashed",
                         {.cause = "the parameters of scrypt are out of range"});
    return to_hex({reinterpret_cast<const char*>(out.data()), out.size()});
}

bool Passwords::locked() const {
    const Lock lock(mutex_);
    return kept_.hash.empty();
}

std::string Passwords::mark() const {
    const Lock lock(mutex_);
    return kept_.salt;
}

Secret Passwords::make_code() {
    if (!locked()) return {};
    Secret code = random_code();
    const Lock lock(mutex_);
    code_hash_ = sha256_hex(code.reveal());
    return code;
}

bool Passwords::is_code(std::string_view code) const {
    return kept_.hash.empty() && !code_hash_.empty() && secrets_match(sha256_hex(code), code_hash_);
}

bool Passwords::code_matches(std::string_view code) const {
    const Lock lock(mutex_);
    return is_code(code);
}

bool Passwords::matches(std::string_view password) const {
    Kept kept;
    {
        const Lock lock(mutex_);
        kept = kept_;
    }
    if (kept.hash.empty() || password.size() > kLongest) return false;
    return secrets_match(hash_of(password, kept), kept.hash);
}

Passwords::Kept Passwords::made_of(const Secret& password) {
    const std::size_t size = password.reveal().size();
    if (size < kShortest || size > kLongest) {
        throw Problem(422, "SERVER-WEAK-PASSWORD",
                      fmt::format("a password has {} to {} characters", kShortest, kLongest));
    }
    Kept made{.n = kN, .r = kR, .p = kP, .salt = random_hex(16), .hash = {}};
    made.hash = hash_of(password.reveal(), made);
    return made;
}

void Passwords::set(const Secret& password) {
    const Kept made = made_of(password);
    const Lock lock(mutex_);
    keep(made);
}

void Passwords::set_first(std::string_view code, const Secret& password) {
    const Kept made = made_of(password);
    const Lock lock(mutex_);
    if (!is_code(code))
        throw Problem(409, "SERVER-UNLOCKED", "the server has been unlocked already",
                      {.remedy = "sign in with the password"});
    keep(made);
}

void Passwords::keep(const Kept& made) {
    const json::object admin = {
        {"n", made.n}, {"r", made.r}, {"p", made.p}, {"salt", made.salt}, {"scrypt", made.hash}};
    atomic_write(folder_ / "users.json",
                 json::serialize(json::object{{"version", 1}, {"admin", admin}}), 0600);
    kept_ = made;
    code_hash_.clear();
}

}  // namespace slipway::server
