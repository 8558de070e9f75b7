#include "remote/ssh/trust.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "remote/ssh/diagnose.hpp"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include <fmt/format.h>

#include <unistd.h>

namespace slipway::remote {

namespace {

// A file the SSH client writes one key into.
class ScratchFile {
  public:
    ScratchFile() {
        std::string path = (std::filesystem::temp_directory_path() / "slipway-key-XXXXXX").string();
        const Fd fd(::mkstemp(path.data()));
        if (!fd) throw StateError("STATE-WRITE", "cannot write " + path);
        path_ = path;
    }
    ~ScratchFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
        std::filesystem::remove(path_ + ".old", ignored);
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

// "256 SHA256:abc… 10.0.0.1 (ED25519)"
void add_fingerprint(HostKey& key, const std::string& file, const SshOptions& options) {
    Subprocess keygen({.argv = {"ssh-keygen", "-l", "-E", "sha256", "-f", file},
                       .env = client_environment(options)});
    keygen.close_in();
    const std::string said = read_all(keygen.out(), "ssh-keygen");
    const std::vector<std::string> words = split(trim(said), ' ');
    if (keygen.wait() != 0 || words.size() < 3) return;
    key.fingerprint = words[1];
    key.type = words.back();
    if (key.type.size() > 2) key.type = key.type.substr(1, key.type.size() - 2);
}

bool says(const std::string& text, std::string_view sign) {
    return text.find(sign) != std::string::npos;
}

// The client's own line "ops@10.0.0.1: Permission denied (publickey).", and not a bastion's, nor a
// text that the other side sent.
bool got_to_the_login(const Login& login, const std::string& said) {
    if (ended_on_the_way(login, said)) return false;
    return std::ranges::any_of(split(said, '\n'), [&](const std::string& line) {
        return line.starts_with(login.user + "@") && says(line, ": Permission denied (");
    });
}

HostKey scan_one(Dialer& dialer, const Login& login, const std::stop_token& stop) {
    HostKey key{.host = login.name, .address = known_hosts_name(login)};
    SshOptions strict = dialer.options();
    strict.accept_new_keys = false;
    strict.no_login = true;
    const Dialer::Outcome known = dialer.run_client(login, strict, stop);
    // Whoever gets as far as the login was content with the key.
    if (known.code == 0 || got_to_the_login(login, known.err)) {
        key.state = KeyState::trusted;
        return key;
    }
    // No other line of known_hosts outweighs one that says @revoked.
    const HostError refusal = diagnose(login, {.code = "ended", .stderr_text = known.err});
    if (refusal.id() == "HOST-KEY-REVOKED") {
        key.state = KeyState::revoked;
        key.reason = fmt::format("{}: {}", refusal.id(), refusal.message());
        return key;
    }
    const ScratchFile scratch;
    SshOptions learn = dialer.options();
    learn.pinned = learn.known_hosts;
    learn.known_hosts = scratch.path();
    learn.accept_new_keys = true;
    learn.only_host_key = true;
    const Dialer::Outcome outcome = dialer.run_client(login, learn, stop);
    for (const std::string& line : split(read_file(scratch.path()), '\n')) {
        if (!trim(line).empty()) key.line = std::string(trim(line));
    }
    if (key.line.empty()) {
        const std::string& said = outcome.err.empty() ? known.err : outcome.err;
        const HostError error = diagnose(login, {.code = "ended", .stderr_text = said});
        key.reason = fmt::format("{}: {}", error.id(), error.message());
        return key;
    }
    key.state = says(known.err, "IDENTIFICATION HAS CHANGED") ? KeyState::changed : KeyState::fresh;
    add_fingerprint(key, scratch.path(), dialer.options());
    return key;
}

}  // namespace

std::string_view to_string(KeyState state) {
    switch (state) {
        case KeyState::trusted: return "trusted";
        case KeyState::fresh: return "new";
        case KeyState::changed: return "changed";
        case KeyState::revoked: return "revoked";
        case KeyState::unreachable: return "unreachable";
    }
    return "unreachable";
}

std::vector<HostKey> scan_host_keys(Dialer& dialer,
                                    const std::vector<std::shared_ptr<const Login>>& logins,
                                    const std::stop_token& stop) {
    std::vector<HostKey> keys(logins.size());
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> cancelled = false;
    const auto work = [&] {
        for (std::size_t i = next++; i < logins.size(); i = next++) {
            try {
                keys[i] = scan_one(dialer, *logins[i], stop);
            } catch (const Cancelled&) {
                cancelled = true;
            } catch (const Error& error) {
                keys[i] = {.host = logins[i]->name,
                           .address = known_hosts_name(*logins[i]),
                           .reason = error.what()};
            }
        }
    };
    {
        std::vector<std::jthread> workers;
        for (std::size_t i = 0; i < std::min<std::size_t>(16, logins.size()); ++i)
            workers.emplace_back(work);
    }
    if (cancelled) throw Cancelled();
    return keys;
}

void trust(const std::filesystem::path& known_hosts, const std::vector<HostKey>& keys) {
    std::set<std::string> names;
    for (const HostKey& key : keys) {
        names.insert(key.address);
        // The client's configuration may give the host another name (HostName, HostKeyAlias).
        names.insert(key.line.substr(0, key.line.find(' ')));
    }
    std::string text;
    for (const std::string& line : split(read_file_if_any(known_hosts).value_or(""), '\n')) {
        if (trim(line).empty() || names.contains(line.substr(0, line.find(' ')))) continue;
        text += line + "\n";
    }
    for (const HostKey& key : keys) text += key.line + "\n";
    make_private_folders(known_hosts.parent_path());
    atomic_write(known_hosts, text);
}

}  // namespace slipway::remote
