#include "config/secret_ref.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

#include <system_error>

#include <fmt/format.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slipway::config {

namespace {

constexpr off_t kMaxSecretBytes = 64 << 10;

[[noreturn]] void unreadable(const std::string& path, std::string_view what, int error) {
    throw UserError("SECRET-UNREADABLE",
                    fmt::format("the {} cannot be read from {}", what, printable(path)),
                    {.cause = std::generic_category().message(error),
                     .remedy = "check the path in the spec; it is relative to the spec's folder",
                     .recovery = Recovery::needs_user});
}

// Checked on the open file, not on its name: another file may stand there a moment later.
void check_file(const struct stat& info, const std::string& path, std::string_view what) {
    if (!S_ISREG(info.st_mode)) unreadable(path, what, S_ISDIR(info.st_mode) ? EISDIR : EINVAL);
    if ((info.st_mode & 077) != 0) {
        throw UserError(
            "SECRET-FILE-MODE",
            fmt::format("{} holds the {} and others may read it", printable(path), what),
            {.cause = fmt::format("its mode is {:04o}", info.st_mode & 07777),
             .remedy = "chmod 600 " + printable(path),
             .recovery = Recovery::needs_user});
    }
    if (info.st_size > kMaxSecretBytes) {
        throw UserError(
            "SECRET-TOO-LARGE", fmt::format("{} is too large for a secret", printable(path)),
            {.cause =
                 fmt::format("it has {} bytes; {} are the most", info.st_size, kMaxSecretBytes),
             .remedy = "check the path in the spec"});
    }
}

Secret read_secret(const std::string& path, SecretUse use, std::string_view what) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!fd) unreadable(path, what, errno);
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0) unreadable(path, what, errno);
    check_file(info, path, what);
    // Read in place, not through buffers that nobody wipes.
    std::string bytes(static_cast<std::size_t>(kMaxSecretBytes), '\0');
    std::size_t size = 0;
    while (size < bytes.size()) {
        const ssize_t n = ::read(fd.get(), bytes.data() + size, bytes.size() - size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) unreadable(path, what, errno);
        if (n == 0) break;
        size += static_cast<std::size_t>(n);
    }
    std::string_view text = std::string_view(bytes).substr(0, size);
    if (use == SecretUse::password) {
        if (text.ends_with('\n')) text.remove_suffix(1);
        if (text.ends_with('\r')) text.remove_suffix(1);
    }
    Secret secret(text);
    wipe(bytes);
    if (!secret.empty()) return secret;
    throw UserError("SECRET-EMPTY", fmt::format("{} holds no {}", printable(path), what),
                    {.cause = "the file is empty", .remedy = "write the secret into it"});
}

Secret read_environment(const std::string& name, std::string_view what) {
    const char* value = ::getenv(name.c_str());
    if (value != nullptr && *value != '\0') return Secret(value);
    throw UserError("SECRET-ENV-UNSET", fmt::format("the {} is not in the environment", what),
                    {.cause = fmt::format("{} is not set, or empty", printable(name)),
                     .remedy = fmt::format("set {} for this command", printable(name)),
                     .recovery = Recovery::needs_user});
}

}  // namespace

Secret resolve(const SecretRef& reference, SecretUse use, std::string_view what,
               const Prompt& prompt) {
    if (!reference.file.empty()) return read_secret(reference.file, use, what);
    if (!reference.env.empty()) return read_environment(reference.env, what);
    if (!reference.prompt) return {};
    if (!prompt) {
        throw UserError("SECRET-NO-TERMINAL", fmt::format("the {} has to be asked for", what),
                        {.cause = "the spec says prompt: true, and there is no terminal",
                         .remedy = "run it on a terminal, or refer to the secret by file or env",
                         .recovery = Recovery::needs_user});
    }
    return prompt(what);
}

}  // namespace slipway::config
