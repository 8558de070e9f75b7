#include "oci/packages/repository_files.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "net/http_client.hpp"
#include "oci/archive_errors.hpp"
#include "oci/client/retry.hpp"
#include "oci/packages/repository_errors.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

namespace fs = std::filesystem;

constexpr int kRedirects = 5;

class Folder : public RepositoryFiles {
  public:
    explicit Folder(fs::path folder) : folder_(std::move(folder)) {}

    std::unique_ptr<ByteStream> open(const std::string& path) override {
        const std::optional<fs::path> file = local(path);
        return file ? stream_file(*file) : nullptr;
    }
    std::optional<fs::path> local(const std::string& path) const override {
        require_safe_name(path, 1024);
        std::error_code ignored;
        if (!fs::is_regular_file(folder_ / path, ignored)) return std::nullopt;
        return folder_ / path;
    }
    std::string label() const override { return folder_.string(); }

  private:
    fs::path folder_;
};

std::string encoded(std::string_view path) {
    std::string out;
    for (const char c : path) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') ||
                           std::string_view("-._~/+:@!$&'()*,;=").find(c) != std::string_view::npos;
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

// One server, asked again when it does not answer.
class Asker {
  public:
    explicit Asker(ServerOptions options)
        : options_(std::move(options)),
          client_({.tls = {.ca_pem = options_.ca_pem}, .least_rate = kDripRate}) {}

    // From byte `from` on; nullopt when there is no such file.
    std::optional<net::ClientResponse> get(const Url& url, std::uint64_t from) {
        auto pause = options_.pause;
        for (int left = options_.tries;; --left, pause *= 2) {
            try {
                return ask(url, from);
            } catch (const HostError& e) {
                if (left <= 1 || e.recovery() != Recovery::transient) throw;
            }
            if (!system_clock().sleep_for(pause, options_.stop)) throw Cancelled();
        }
    }
    int tries() const { return options_.tries; }
    bool stopped() const { return options_.stop.stop_requested(); }

  private:
    std::optional<net::ClientResponse> ask(const Url& url, std::uint64_t from) {
        net::ClientRequest request{.url = url, .redirects = kRedirects};
        if (from > 0) request.headers.set("Range", fmt::format("bytes={}-", from));
        net::ClientResponse answer = client_.send(request);
        if (answer.status == 200 || (from > 0 && answer.status == 206)) return answer;
        if (answer.status == 404 || answer.status == 410) return std::nullopt;
        const bool may_pass = answer.status >= 500 || answer.status == 429;
        throw HostError("REPOSITORY-ANSWER",
                        fmt::format("{} answered {}", url.shown(), answer.status),
                        {.cause = printable(answer.reason),
                         .remedy = "open the address in a browser, or use another mirror",
                         .recovery = may_pass ? Recovery::transient : Recovery::fatal});
    }

    ServerOptions options_;
    net::HttpClient client_;
};

// A body that goes on where it was cut. Whether both parts are of one file is for the digest to
// say.
class AnswerStream : public ByteStream {
  public:
    AnswerStream(std::shared_ptr<Asker> asker, Url url, net::ClientResponse answer)
        : asker_(std::move(asker)), url_(std::move(url)), answer_(std::move(answer)) {}

    std::size_t read(char* into, std::size_t max) override {
        for (int left = asker_->tries();; --left) {
            if (asker_->stopped()) throw Cancelled();
            try {
                const std::size_t n = answer_.read({into, max});
                seen_ += n;
                return n;
            } catch (const HostError& e) {
                if (left <= 1 || e.recovery() != Recovery::transient) throw;
            }
            go_on();
        }
    }

  private:
    void go_on() {
        std::optional<net::ClientResponse> answer = asker_->get(url_, seen_);
        if (!answer) repository_invalid(url_.shown(), "it vanished while it was read");
        answer_ = *std::move(answer);
        if (answer_.status != 200) return;
        std::string passed(kChunk, '\0');  // the server knows no ranges
        for (std::uint64_t left = seen_; left > 0;) {
            const std::size_t n =
                answer_.read({passed.data(), std::min<std::uint64_t>(left, passed.size())});
            if (n == 0) repository_invalid(url_.shown(), "it became shorter while it was read");
            left -= n;
        }
    }

    std::shared_ptr<Asker> asker_;  // shared: streams may outlive the repository
    Url url_;
    net::ClientResponse answer_;
    std::uint64_t seen_ = 0;
};

class Server : public RepositoryFiles {
  public:
    Server(const std::string& url, ServerOptions options)
        : asker_(std::make_shared<Asker>(std::move(options))) {
        try {
            base_ = Url::parse(url);
        } catch (const BadUrl& e) {
            repository_invalid("the repository's url", e.what());
        }
        if (!base_.target.ends_with('/')) base_.target += '/';
    }

    std::unique_ptr<ByteStream> open(const std::string& path) override {
        require_safe_name(path, 1024);
        Url url = base_;
        url.target += encoded(path);
        std::optional<net::ClientResponse> answer = asker_->get(url, 0);
        if (!answer) return nullptr;
        return std::make_unique<AnswerStream>(asker_, url, *std::move(answer));
    }
    std::optional<fs::path> local(const std::string&) const override { return std::nullopt; }
    std::string label() const override { return base_.shown(); }

  private:
    std::shared_ptr<Asker> asker_;  // shared with the streams
    Url base_;
};

}  // namespace

std::unique_ptr<RepositoryFiles> folder_repository(const fs::path& folder) {
    if (!fs::is_directory(folder)) {
        throw UserError("FILE-UNREADABLE",
                        fmt::format("{} is not a folder", printable(folder.string())));
    }
    return std::make_unique<Folder>(folder);
}

std::unique_ptr<RepositoryFiles> server_repository(const std::string& url, ServerOptions options) {
    return std::make_unique<Server>(url, std::move(options));
}

std::optional<std::string> read_if_any(RepositoryFiles& files, const std::string& path,
                                       std::size_t limit) {
    const std::unique_ptr<ByteStream> stream = files.open(path);
    if (!stream) return std::nullopt;
    return read_whole(*stream, limit, fmt::format("{} of {}", path, files.label()));
}

std::string read_required(RepositoryFiles& files, const std::string& path, std::size_t limit) {
    std::optional<std::string> text = read_if_any(files, path, limit);
    if (!text) repository_invalid(files.label(), fmt::format("it has no file {}", path));
    return *std::move(text);
}

}  // namespace slipway::oci::packages
