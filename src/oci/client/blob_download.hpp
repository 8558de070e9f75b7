// A body that is fetched once and, when it breaks off, from there on (Range).
#pragma once

#include "net/http_client.hpp"
#include "oci/byte_stream.hpp"
#include "oci/client/registry_errors.hpp"
#include "oci/client/retry.hpp"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace slipway::oci {

class Download : public ByteStream {
  public:
    // Sends the request, with this Range unless it is empty.
    using Ask = std::function<net::ClientResponse(const std::string& range)>;

    // `size`: what it must be; nullopt when nobody knows. More than `most` is refused.
    Download(Ask ask, Asked asked, std::optional<std::uint64_t> size, Retry retry,
             std::stop_token stop, std::uint64_t most = UINT64_MAX);

    std::size_t read(char* into, std::size_t max) override;

  private:
    std::size_t read_once(char* into, std::size_t max);
    void open();
    void open_rest();
    void pass_over(std::uint64_t count);
    void require_size(std::uint64_t whole) const;

    Ask ask_;
    Asked asked_;
    std::optional<std::uint64_t> size_;
    Retry retry_;
    std::stop_token stop_;
    std::uint64_t most_;
    std::uint64_t at_ = 0;
    std::string version_;  // ETag: the rest must be of the same thing
    std::optional<net::ClientResponse> answer_;
};

}  // namespace slipway::oci
