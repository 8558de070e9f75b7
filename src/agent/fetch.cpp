#include "agent/fetch.hpp"

#include "agent/existing_file.hpp"
#include "agent/http_client.hpp"
#include "agent/part_file.hpp"

#include <algorithm>
#include <charconv>

namespace slipway::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kDigestSize = 64;
constexpr std::uint32_t kModeBits = 07777;

void check_request(const wire::Fetch& wanted) {
    const bool digest = wanted.sha256.size() == kDigestSize &&
                        wanted.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!digest) throw Failed("bad-request", "no SHA-256 of the file to fetch");
    const bool path = wanted.path.starts_with('/') && !wanted.path.ends_with('/') &&
                      wanted.path.find('\0') == std::string::npos;
    if (!path) throw Failed("bad-request", "no whole path of the file to fetch");
    if ((wanted.mode & ~kModeBits) != 0) throw Failed("bad-request", "no mode of a file");
}

// "bytes 100-199/200": where the answer begins; nullopt when it is not said.
std::optional<std::uint64_t> start_of_range(const ResponseHead& head) {
    constexpr std::string_view kUnit = "bytes ";
    const std::string_view text = head.field("content-range").value_or("");
    if (!text.starts_with(kUnit)) return std::nullopt;
    std::uint64_t start = 0;
    const auto end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + kUnit.size(), end, start);
    if (error != std::errc() || stop == end || *stop != '-') return std::nullopt;
    return start;
}

class Progress {
  public:
    explicit Progress(Request& request) : request_(request) {}

    void tell(std::uint64_t bytes) {
        constexpr std::chrono::milliseconds kPause{200};
        if (Clock::now() - last_ < kPause) return;
        request_.send(wire::Stream::out, std::to_string(bytes) + "\n");
        last_ = Clock::now();
    }

  private:
    Request& request_;
    Clock::time_point last_ = Clock::now();
};

[[noreturn]] void wrong_content(const wire::Fetch& wanted, const Url& url,
                                const std::string& seen) {
    throw Failed("digest-mismatch",
                 url.shown() + " is not the file that is wanted for " + wanted.path + ": " + seen);
}

// One answer that serves from where the part ends, or from the start.
HttpExchange ask(const wire::Fetch& wanted, PartFile& part, const ConnectionLimits& limits,
                 const Patience& patience) {
    while (true) {
        const GetOptions options{.headers = wanted.headers,
                                 .offset = part.size(),
                                 .ca_pem = wanted.ca_pem,
                                 .limits = limits};
        HttpExchange exchange = http_get(parse_url(wanted.url), options, patience);
        const ResponseHead& head = exchange.head();
        const bool continues = part.size() > 0;
        if (head.status == 206 && continues && start_of_range(head) == part.size()) return exchange;
        if (head.status == 200) {
            if (continues) part.restart();  // a server that knows no ranges
            return exchange;
        }
        // What we have does not go together with what the server has: begin anew, without a range.
        if (continues && (head.status == 206 || head.status == 416)) {
            part.restart();
            continue;
        }
        throw Failed("http-status", exchange.url().shown() + " answered " +
                                        std::to_string(head.status) + " " + head.reason);
    }
}

void receive_body(const wire::Fetch& wanted, PartFile& part, HttpExchange& exchange,
                  const Patience& patience, Request& request) {
    const std::uint64_t begin = part.size();
    const auto length = exchange.body_length();
    if (wanted.size != 0 && length && begin + *length != wanted.size) {
        wrong_content(wanted, exchange.url(),
                      "it has " + std::to_string(begin + *length) + " bytes instead of " +
                          std::to_string(wanted.size));
    }
    if (wanted.size != 0 || length) part.expect(length.value_or(wanted.size - begin));
    Progress progress(request);
    while (const auto piece = exchange.read()) {
        patience.check();
        part.append(*piece);
        if (wanted.size != 0 && part.size() > wanted.size) {
            part.restart();
            wrong_content(wanted, exchange.url(),
                          "it has more than " + std::to_string(wanted.size) + " bytes");
        }
        progress.tell(part.size());
    }
}

wire::Fetched download(const wire::Fetch& wanted, PartFile& part, const ConnectionLimits& limits,
                       const Patience& patience, Request& request) {
    while (true) {
        HttpExchange exchange = ask(wanted, part, limits, patience);
        wire::Fetched result;
        result.resumed = part.size();
        receive_body(wanted, part, exchange, patience, request);
        result.fetched = part.size() - result.resumed;
        const std::string digest = part.proof();
        if (digest == wanted.sha256) return result;
        part.restart();
        // The fault may lie in what was there: another version of the file, or a power cut.
        if (result.resumed == 0) wrong_content(wanted, exchange.url(), "its SHA-256 is " + digest);
    }
}

}  // namespace

wire::Fetched fetch(const wire::Fetch& wanted, Request& request, const ConnectionLimits& limits) {
    check_request(wanted);
    const Patience patience(request, std::chrono::milliseconds(wanted.deadline_ms));
    const Existing existing = use_existing(
        {.path = wanted.path, .sha256 = wanted.sha256, .size = wanted.size, .mode = wanted.mode},
        patience);
    if (existing != Existing::none) {
        wire::Fetched result;
        result.already = existing == Existing::right;
        return result;
    }
    PartFile part(wanted.path);
    part.hash_content(patience);
    if (wanted.size != 0 && part.size() >= wanted.size) {
        // All of it had come, but the last attempt did not live to say so. Or it is something else.
        const std::uint64_t size = part.size();
        if (part.proof() == wanted.sha256) {
            part.replace(wanted.mode);
            wire::Fetched result;
            result.resumed = size;
            return result;
        }
        part.restart();
    }
    try {
        wire::Fetched result = download(wanted, part, limits, patience, request);
        part.replace(wanted.mode);
        return result;
    } catch (const Failed& failed) {
        // A full disk hurts everything on the host: what we have of the file is given back.
        if (failed.code == "disk-full" || part.size() == 0) part.discard();
        throw;
    }
}

}  // namespace slipway::agent
