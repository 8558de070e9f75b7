#include "base/error.hpp"

namespace slipway {

std::string_view to_string(Recovery recovery) {
    switch (recovery) {
        case Recovery::fatal: return "fatal";
        case Recovery::transient: return "transient";
        case Recovery::needs_user: return "needs-user";
    }
    return "fatal";
}

Error::Error(std::string id, std::string message, ErrorDetails details)
    : id_(std::move(id)),
      message_(std::move(message)),
      details_(std::move(details)),
      what_(id_ + ": " + message_) {}

}  // namespace slipway
