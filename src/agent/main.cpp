// slipway-agent: serves its standard input; `job FOLDER` runs a job; `version` says which protocol,
// `digest FILE` a file's SHA-256.
#include "agent/jobs.hpp"
#include "agent/server.hpp"
#include "agent/verbs.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <string>

#include <openssl/crypto.h>

#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

// Becomes readable at SIGTERM, which a later agent of the same run sends to one whose client is
// gone.
int wish_to_stop() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);  // before any thread: all of them inherit it
    return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

std::string digest_of(const char* path) {
    const slipway::Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
    slipway::Sha256 digest;
    std::array<char, 65536> buffer;
    ssize_t n = 0;
    while ((n = ::read(fd.get(), buffer.data(), buffer.size())) > 0)
        digest.update({buffer.data(), static_cast<std::size_t>(n)});
    return n == 0 ? digest.hex() : "";
}

}  // namespace

int main(int argc, char** argv) {
    namespace agent = slipway::agent;
    const std::string role = argc > 1 ? argv[1] : "serve";
    ::signal(SIGPIPE, SIG_IGN);
    ::umask(077);
    // The host's own openssl.cnf has no say in what its installer does.
    ::OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
    if (role == "version") {
        std::printf("slipway-agent protocol %u\n", slipway::wire::kProtocolVersion);
        return 0;
    }
    try {
        if (role == "digest" && argc == 3) {
            std::printf("%s\n", digest_of(argv[2]).c_str());
            return 0;
        }
        if (role == "job" && argc == 3) return agent::run_job(argv[2]);
        agent::serve(STDIN_FILENO, STDOUT_FILENO, agent::answer, {.stop_fd = wish_to_stop()});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "slipway-agent: %s\n", error.what());
        return 1;
    }
    return 0;
}
