// SHA-256 in lower-case hex: fingerprints of steps, hashes of plans, digests of files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace slipway {

class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    Sha256& update(std::string_view bytes);
    // A field with its length in front, so that ("ab","c") and ("a","bc") differ.
    Sha256& field(std::string_view bytes);
    std::string hex();  // ends the computation

  private:
    struct State;
    std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view bytes);

std::string to_hex(std::string_view bytes);  // lower case

// `count` random bytes in lower-case hex, from the kernel.
std::string random_hex(std::size_t count);

}  // namespace slipway
