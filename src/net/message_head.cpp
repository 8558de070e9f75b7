#include "net/message_head.hpp"

#include "net/failure.hpp"

#include <charconv>

#include <boost/beast/http/basic_parser.hpp>

namespace slipway::net {

namespace {

namespace http = boost::beast::http;
using boost::beast::string_view;
using ErrorCode = boost::beast::error_code;

constexpr std::size_t kLongestMethod = 32;

[[noreturn]] void refuse(const std::string& why) { throw HttpError(400, why); }

std::string text(string_view view) { return {view.data(), view.size()}; }

// Beast's parser up to the end of the head. The body is read past it (body_reader.hpp): straight
// into the reader's memory.
template <bool IsRequest>
class HeadParser : public http::basic_parser<IsRequest> {
  public:
    std::string method, target, reason;
    int status = 0, version = 0;
    Headers headers;

    void parse(std::string_view head) {
        constexpr std::uint32_t kAny = 1u << 30;  // HeadFinder has looked at the limits
        this->header_limit(kAny);
        this->skip(true);
        ErrorCode error;
        const std::size_t used =
            this->put(boost::beast::net::const_buffer(head.data(), head.size()), error);
        if (error == http::error::bad_version) throw HttpError(505, "not HTTP/1.0 or HTTP/1.1");
        if (error || used != head.size() || !this->is_header_done()) refuse("not an HTTP head");
    }

  private:
    void on_request_impl(http::verb, string_view method_text, string_view target_text,
                         int version_number, ErrorCode&) override {
        method = text(method_text);
        target = text(target_text);
        version = version_number;
    }
    void on_response_impl(int code, string_view reason_text, int version_number,
                          ErrorCode&) override {
        status = code;
        reason = text(reason_text);
        version = version_number;
    }
    void on_field_impl(http::field, string_view name, string_view value, ErrorCode&) override {
        headers.add(text(name), text(value));
    }
    void on_header_impl(ErrorCode&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
    std::size_t on_body_impl(string_view, ErrorCode&) override { return 0; }
    void on_chunk_header_impl(std::uint64_t, string_view, ErrorCode&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view, ErrorCode&) override { return 0; }
    void on_finish_impl(ErrorCode&) override {}
};

std::uint64_t parse_length(std::string_view value) {
    constexpr std::size_t kMostDigits = 18;  // fits, and sums of two do
    std::uint64_t length = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    if (value.empty() || value.size() > kMostDigits || error != std::errc() ||
        stop != value.data() + value.size())
        refuse("Content-Length is no number");
    return length;
}

// nullopt when neither field is there.
std::optional<BodyLength> stated_length(const Headers& headers, int minor_version) {
    const std::size_t lengths = headers.count("Content-Length");
    const std::size_t codings = headers.count("Transfer-Encoding");
    if (lengths > 0 && codings > 0) refuse("both Content-Length and Transfer-Encoding");
    if (lengths > 1 || codings > 1) refuse("the length is stated twice");
    if (lengths == 1)
        return BodyLength{.kind = BodyLength::Kind::counted,
                          .bytes = parse_length(*headers.find("Content-Length"))};
    if (codings == 0) return std::nullopt;
    if (minor_version == 0) refuse("Transfer-Encoding in HTTP/1.0");
    const std::string_view coding = *headers.find("Transfer-Encoding");
    if (!same_name(coding, "chunked"))
        throw HttpError(coding.empty() ? 400 : 501, "an unknown transfer coding");
    return BodyLength{.kind = BodyLength::Kind::chunked, .bytes = 0};
}

bool stays_open(const Headers& headers, int minor_version) {
    if (headers.has_token("Connection", "close")) return false;
    return minor_version >= 1 || headers.has_token("Connection", "keep-alive");
}

void check_host(const RequestHead& head) {
    const std::size_t hosts = head.headers.count("Host");
    if (hosts > 1 || (hosts == 0 && head.minor_version >= 1)) refuse("not one Host field");
    if (hosts == 1 &&
        head.headers.find("Host")->find_first_of(" \t/?#@,") != std::string_view::npos)
        refuse("Host is no host");
}

}  // namespace

RequestHead parse_request_head(std::string_view head, const HeadLimits& limits) {
    HeadParser<true> parser;
    parser.parse(head);
    RequestHead out{.method = std::move(parser.method),
                    .target = std::move(parser.target),
                    .minor_version = parser.version - 10,
                    .headers = std::move(parser.headers)};
    if (out.method.size() > kLongestMethod) throw HttpError(501, "an unknown method");
    if (out.target.size() > limits.target) throw HttpError(414, "the target is too long");
    check_host(out);
    out.body = stated_length(out.headers, out.minor_version).value_or(BodyLength{});
    // HTTP/1.0 kept connections alive by an extension that proxies got wrong; one request each.
    out.keep_alive = out.minor_version >= 1 && stays_open(out.headers, out.minor_version);
    return out;
}

ResponseHead parse_response_head(std::string_view head, const HeadLimits&,
                                 std::string_view method) {
    HeadParser<false> parser;
    parser.parse(head);
    ResponseHead out{.status = parser.status,
                     .reason = std::move(parser.reason),
                     .minor_version = parser.version - 10,
                     .headers = std::move(parser.headers)};
    if (out.status < 100 || out.status > 599) refuse("a status that is none");
    const auto length = stated_length(out.headers, out.minor_version);
    const bool bodiless =
        method == "HEAD" || out.status / 100 == 1 || out.status == 204 || out.status == 304;
    if (!bodiless)
        out.body = length.value_or(BodyLength{.kind = BodyLength::Kind::until_close, .bytes = 0});
    out.keep_alive = stays_open(out.headers, out.minor_version) &&
                     out.body.kind != BodyLength::Kind::until_close;
    return out;
}

}  // namespace slipway::net
