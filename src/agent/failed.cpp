#include "agent/request.hpp"

#include <cerrno>
#include <cstring>

namespace slipway::agent {

namespace {

std::string code_of(int error) {
    switch (error) {
        case ENOENT:
        case ENOTDIR: return "not-found";
        case EACCES:
        case EPERM: return "denied";
        case ENOSPC:
        case EDQUOT: return "disk-full";
        case EROFS: return "read-only";
        case ETIMEDOUT: return "timeout";
        default: return "system";
    }
}

}  // namespace

void fail_with_errno(const std::string& action, const std::string& subject) {
    const int error = errno;
    throw Failed(code_of(error), "cannot " + action + " " + subject + ": " + std::strerror(error),
                 error);
}

}  // namespace slipway::agent
