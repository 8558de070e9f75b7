// A secret: cannot be printed, compared or copied by accident, and is wiped when it goes.
//
//     Secret password = resolve(reference);
//     host.login(password.reveal());      // the one way to the bytes, easy to grep for
//
// There is no operator<<, no fmt formatter and no conversion to string: code that would log a
// secret does not compile.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace slipway {

class Secret {
  public:
    Secret() = default;
    explicit Secret(std::string_view bytes);
    ~Secret();

    Secret(Secret&& other) noexcept;
    Secret& operator=(Secret&& other) noexcept;
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;

    Secret clone() const { return Secret(reveal()); }
    bool empty() const { return size_ == 0; }
    std::string_view reveal() const { return {bytes_.get(), size_}; }

  private:
    void wipe();

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
};

// Overwrites a string that held a secret for a moment (a line read from a terminal, say).
void wipe(std::string& text);

}  // namespace slipway
