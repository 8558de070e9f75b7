// One request on its way through the registry, and how it is refused.
#pragma once

#include "net/http_message.hpp"
#include "registry/library.hpp"
#include "registry/route.hpp"
#include "registry/uploads.hpp"

#include <semaphore>
#include <stdexcept>

namespace slipway::registry {

// Large manifests are read a few at a time: each takes many times its size for a moment.
class LargeReads {
  public:
    static constexpr std::size_t kLarge = 64u << 10;

    class Turn {
      public:
        explicit Turn(LargeReads& all);  // throws Refusal 503 after half a minute
        ~Turn() { all_.free_.release(); }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

      private:
        LargeReads& all_;
    };

  private:
    static constexpr std::ptrdiff_t kAtOnce = 2;
    std::counting_semaphore<kAtOnce> free_{kAtOnce};
};

struct Exchange {
    Library& library;
    Uploads* uploads;  // nullptr: nothing may be written
    std::uint64_t largest_blob;
    LargeReads& large_reads;
    const Route& route;
    net::Request& request;
    net::Response& response;

    // The repositories that may be meant when something is read.
    Names meant() const;
    std::string_view parameter(std::string_view name) const;  // "" when it is not there
    // Sets the ETag. True when the client has it already: the answer is then 304.
    bool has_already(const oci::Digest& digest);
    void created(const std::string& location, const oci::Digest& digest);
};

// An answer of the distribution spec's form: {"errors":[{"code":…,"message":…}]}.
class Refusal : public std::runtime_error {
  public:
    Refusal(int http_status, std::string error_code, const std::string& message)
        : std::runtime_error(message), status(http_status), code(std::move(error_code)) {}
    int status;
    std::string code;
};

// Throws Refusal DIGEST_INVALID.
oci::Digest digest_from(std::string_view text);

// The routes: one file each, named after what it answers.
void answer_blob(Exchange& x);
void answer_new_upload(Exchange& x);
void answer_upload(Exchange& x);
void answer_manifest(Exchange& x);
void answer_tags(Exchange& x);
void answer_referrers(Exchange& x);
void answer_catalog(Exchange& x);

// 405: nobody can do this here, and what can be done; this registry is read only.
[[noreturn]] void refuse_method(Exchange& x, const char* allowed);
[[noreturn]] void refuse_writing(Exchange& x, const char* allowed = "GET, HEAD");
[[noreturn]] void refuse_name(const std::string& name);

// "A page of it": parameters n and last, the header Link.
std::vector<std::string> page_of(Exchange& x, const std::set<std::string>& all);

}  // namespace slipway::registry
