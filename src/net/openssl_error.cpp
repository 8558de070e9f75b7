#include "net/openssl_error.hpp"

#include <openssl/err.h>

namespace slipway::net {

std::string openssl_reason() {
    const unsigned long code = ERR_get_error();
    const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    ERR_clear_error();
    return reason == nullptr ? "no reason given" : reason;
}

}  // namespace slipway::net
