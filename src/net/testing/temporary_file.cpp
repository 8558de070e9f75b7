#include "net/testing/temporary_file.hpp"

#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>

#include <sys/mman.h>

namespace slipway::net::testing {

std::shared_ptr<const Fd> temporary_file(const std::string& content) {
    auto file = std::make_shared<Fd>(::memfd_create("slipway-test", MFD_CLOEXEC));
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t n = ::write(file->get(), content.data() + done, content.size() - done);
        if (n < 0) throw std::system_error(errno, std::generic_category(), "write");
        done += static_cast<std::size_t>(n);
    }
    return file;
}

std::string pattern(std::size_t size, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::string out(size, '\0');
    for (std::size_t i = 0; i + sizeof(std::uint32_t) <= size; i += sizeof(std::uint32_t)) {
        const std::uint32_t value = random();
        std::memcpy(out.data() + i, &value, sizeof value);
    }
    return out;
}

}  // namespace slipway::net::testing
