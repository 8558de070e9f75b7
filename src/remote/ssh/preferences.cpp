#include "remote/ssh/preferences.hpp"

#include <fmt/format.h>

namespace slipway::remote {

std::string client_configuration(const std::string& own, std::string_view kex) {
    std::string out = own.empty() ? "Include ~/.ssh/config\nInclude /etc/ssh/ssh_config\n"
                                  : fmt::format("Include \"{}\"\n", own);
    // Clients from 8.5 on prefer sntrup761, of which each side computes 40 ms a connection. Older
    // ones need no advice, and may not know the ^. ML-KEM protects as well and costs nothing; AES
    // is the fastest cipher where it is in the processor, as in every server.
    if (kex.find("sntrup761x25519") == std::string_view::npos) return out;
    const bool ml_kem = kex.find("mlkem768x25519-sha256") != std::string_view::npos;
    out += fmt::format("Host *\n  KexAlgorithms ^{}curve25519-sha256\n",
                       ml_kem ? "mlkem768x25519-sha256," : "");
    out += "  Ciphers ^aes256-gcm@openssh.com\n";
    return out;
}

}  // namespace slipway::remote
