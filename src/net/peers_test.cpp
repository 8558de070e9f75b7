// Programs others wrote, as clients of our server and as the server of our client: curl and
// Python's http.client and http.server.
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "net/http_client.hpp"
#include "net/http_server.hpp"
#include "net/testing/temporary_file.hpp"
#include "pki/testing/test_pair.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::net {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Result {
    int code = 0;
    std::string out = {};
};

Result run(std::vector<std::string> argv) {
    // Nothing between the peers but this computer.
    Subprocess program({.argv = std::move(argv),
                        .env = {{"http_proxy", ""}, {"https_proxy", ""}, {"all_proxy", ""}}});
    program.close_in();
    Result result;
    result.out = read_all(program.out(), "output");
    const std::string said = read_all(program.err(), "errors");
    result.code = program.wait();
    if (result.code != 0) result.out += said;
    return result;
}

std::string first_line(const Subprocess& program) {
    std::string line;
    for (char c = 0; ::read(program.out(), &c, 1) == 1 && c != '\n';) line += c;
    return line;
}

// Files are served by range, bodies answered with their digest.
void serve(const std::shared_ptr<const Fd>& file, std::size_t size, Request& request,
           Response& response) {
    if (request.method == "GET" || request.method == "HEAD") {
        FileRange range{.file = file, .offset = 0, .length = size};
        if (const auto wanted = request.headers.find("range")) {
            const std::vector<std::string> ends = split(wanted->substr(6), '-');
            range.offset = std::stoull(ends.at(0));
            range.length = std::stoull(ends.at(1)) - range.offset + 1;
            response.status = 206;
            response.headers.set("Content-Range",
                                 "bytes " + ends[0] + "-" + ends[1] + "/" + std::to_string(size));
        }
        response.body = range;
        return;
    }
    response.body = request.method + " " + sha256_hex(request.body.read_all(64u << 20)) + "\n";
}

class Peers : public ::testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        std::signal(SIGPIPE, SIG_IGN);
        std::string name = (fs::temp_directory_path() / "slipway-peers-XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
        const pki::Authority ca = pki::testing::test_authority();
        const pki::KeyPair own = pki::testing::server_pair(ca, {"localhost", "127.0.0.1"});
        atomic_write(folder_ / "ca.pem", ca.certificate());
        atomic_write(folder_ / "own.pem", own.certificate + std::string(own.key.reveal()));
        atomic_write(folder_ / "file", content_);
        ServerOptions options;
        if (GetParam()) {
            options.tls = TlsContext::server(
                read_server_certificate(folder_ / "own.pem", folder_ / "own.pem"));
        }
        server_.emplace(Listener("127.0.0.1:0"), options,
                        [this](Request& request, Response& response) {
                            serve(file_, content_.size(), request, response);
                        });
        url_ = (GetParam() ? "https://" : "http://") + server_->address() + "/f";
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::vector<std::string> curl(std::vector<std::string> more) const {
        std::vector<std::string> out = {
            "curl", "-sS",       "--fail", "--max-time", "60",
            "-q",   "--noproxy", "*",      "--cacert",   folder_ / "ca.pem"};
        out.insert(out.end(), more.begin(), more.end());
        return out;
    }

    fs::path folder_;
    const std::string content_ = testing::pattern(5u << 20);
    const std::shared_ptr<const Fd> file_ = testing::temporary_file(content_);
    std::optional<HttpServer> server_;
    std::string url_;
};

INSTANTIATE_TEST_SUITE_P(Wires, Peers, ::testing::Values(false, true),
                         [](const auto& wire) { return wire.param ? "Tls" : "Plain"; });

TEST_P(Peers, CurlReads) {
    EXPECT_EQ(sha256_hex(run(curl({url_})).out), sha256_hex(content_));
    EXPECT_EQ(sha256_hex(run(curl({"--http1.0", url_})).out), sha256_hex(content_));
    EXPECT_EQ(run(curl({"-r", "1000-1004", url_})).out, content_.substr(1000, 5));
    const Result head = run(curl({"-I", url_}));
    EXPECT_THAT(head.out, StartsWith("HTTP/1.1 200 OK"));
    EXPECT_THAT(head.out, HasSubstr("Content-Length: 5242880"));
    const std::uint64_t before = server_->stats().accepted;
    const Result twice =
        run(curl({"-r", "0-1", url_, "-o", folder_ / "1", url_, "-o", folder_ / "2"}));
    EXPECT_EQ(twice.code, 0) << twice.out;
    EXPECT_EQ(server_->stats().accepted, before + 1);  // one connection for both
}

TEST_P(Peers, CurlWrites) {
    const std::string digest = sha256_hex(content_) + "\n";
    const std::string file = folder_ / "file";
    EXPECT_EQ(run(curl({"-T", file, url_})).out, "PUT " + digest);  // asks first: 100-continue
    EXPECT_EQ(run(curl({"-T", file, "-H", "Expect:", url_})).out, "PUT " + digest);
    EXPECT_EQ(run(curl({"-T", file, "-H", "Transfer-Encoding: chunked", url_})).out,
              "PUT " + digest);
    EXPECT_EQ(run(curl({"--data-binary", "@" + file, url_})).out, "POST " + digest);
}

TEST_P(Peers, PythonSpeaksWithOurServer) {
    const Result result =
        run({"python3", "-c", R"(
import hashlib, http.client, ssl, sys
tls, port, ca = sys.argv[1] == "1", int(sys.argv[2]), sys.argv[3]
if tls:
    c = http.client.HTTPSConnection("127.0.0.1", port, timeout=60,
                                    context=ssl.create_default_context(cafile=ca))
else:
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
c.request("GET", "/f")
body = c.getresponse().read()
c.request("PUT", "/f", body=body)
put = c.getresponse()
print(put.status, put.read().decode().strip() == "PUT " + hashlib.sha256(body).hexdigest())
c.request("POST", "/f", body=(body[i:i + 9999] for i in range(0, len(body), 9999)), encode_chunked=True,
          headers={"Transfer-Encoding": "chunked"})
post = c.getresponse()
print(post.status, post.read().decode().strip() == "POST " + hashlib.sha256(body).hexdigest())
c.request("HEAD", "/f")
head = c.getresponse()
print(head.status, head.getheader("Content-Length"), head.read())
)",
             GetParam() ? "1" : "0", std::to_string(server_->port()), folder_ / "ca.pem"});
    EXPECT_EQ(result.out, "200 True\n200 True\n200 5242880 b''\n");
    EXPECT_EQ(server_->stats().accepted, 1u);
}

TEST_P(Peers, OurClientSpeaksWithPython) {
    Subprocess python({.argv = {"python3", "-u", "-c", R"(
import hashlib, http.server, os, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = open("file", "rb").read()
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for i in range(0, len(body), 50000):
            piece = body[i:i + 50000]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")
    def do_PUT(self):
        digest = hashlib.sha256(self.rfile.read(int(self.headers["Content-Length"]))).hexdigest()
        self.send_response(201)
        self.send_header("Content-Length", str(len(digest)))
        self.end_headers()
        self.wfile.write(digest.encode())
    def log_message(self, *args):
        pass
os.chdir(sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if sys.argv[2] == "1":
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("own.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port)
server.serve_forever()
)",
                                folder_.string(), GetParam() ? "1" : "0"}});
    const std::string port = first_line(python);
    const Url url = Url::parse((GetParam() ? "https://127.0.0.1:" : "http://127.0.0.1:") + port);
    HttpClient client({.tls = {.ca_pem = read_file(folder_ / "ca.pem")}});
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(sha256_hex(client.send({.url = url}).read_all(16u << 20)), sha256_hex(content_));
        ClientResponse put =
            client.send({.method = "PUT",
                         .url = url,
                         .body = FileRange{.file = file_, .offset = 0, .length = content_.size()},
                         .wait_for_continue = i == 1});
        EXPECT_EQ(put.status, 201);
        EXPECT_EQ(put.read_all(1000), sha256_hex(content_));
    }
    EXPECT_EQ(client.idle_connections(), 1u);
}

// A proxy for one login, and the number of tunnels it made.
constexpr const char* kProxy = R"(
import http.server, select, socket
tunnels = 0
class Handler(http.server.BaseHTTPRequestHandler):
    def do_CONNECT(self):
        global tunnels
        if self.headers["Proxy-Authorization"] != "Basic b3BzOnB3":
            return self.send_error(407)
        tunnels += 1
        host, port = self.path.rsplit(":", 1)
        there = socket.create_connection((host, int(port)))
        self.wfile.write(b"HTTP/1.1 200 tunnel %d\r\n\r\n" % tunnels)
        both = {self.connection: there, there: self.connection}
        while True:
            for end in select.select(list(both), [], [])[0]:
                piece = end.recv(65536)
                if not piece:
                    return
                both[end].sendall(piece)
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port)
server.serve_forever()
)";

TEST_P(Peers, OurClientGoesThroughAProxy) {
    Subprocess python({.argv = {"python3", "-u", "-c", kProxy}});
    const Url proxy = Url::parse("http://127.0.0.1:" + first_line(python));
    const std::string ca = read_file(folder_ / "ca.pem");
    HttpClient client({.tls = {.ca_pem = ca},
                       .proxy = {.url = proxy, .authorization = Secret("Basic b3BzOnB3")}});
    const std::uint64_t before = server_->stats().accepted;
    for (int i = 0; i < 2; ++i) {
        const std::string got = client.send({.url = Url::parse(url_)}).read_all(16u << 20);
        EXPECT_EQ(sha256_hex(got), sha256_hex(content_));
    }
    EXPECT_EQ(server_->stats().accepted, before + 1);
    HttpClient stranger({.tls = {.ca_pem = ca}, .proxy = {.url = proxy}});
    EXPECT_THROW(stranger.send({.url = Url::parse(url_)}), HostError);
    HttpClient direct({.tls = {.ca_pem = ca}, .proxy = {.url = proxy, .direct = {"127.0.0.1"}}});
    EXPECT_EQ(direct.send({.method = "HEAD", .url = Url::parse(url_)}).status, 200);
}

TEST(Proxy, IsPassedByForSomeHosts) {
    const ProxyOptions proxy{.url = Url::parse("http://p:3128"), .direct = {".lan", "10.0.0.5"}};
    EXPECT_TRUE(goes_through(proxy, Url::parse("https://r.example/")));
    EXPECT_TRUE(goes_through(proxy, Url::parse("https://lan/")));
    EXPECT_FALSE(goes_through(proxy, Url::parse("https://r.lan/")));
    EXPECT_FALSE(goes_through(proxy, Url::parse("http://10.0.0.5:5000/")));
    EXPECT_FALSE(goes_through({}, Url::parse("https://r.example/")));
}

TEST(PeersTls, OldProtocolsAndStrangersAreRefused) {
    std::signal(SIGPIPE, SIG_IGN);
    const pki::Authority ca = pki::testing::test_authority();
    pki::KeyPair own = pki::testing::server_pair(ca);
    HttpServer server(
        Listener("127.0.0.1:0"),
        {.tls = TlsContext::server(
             {.certificate_pem = own.certificate, .key_pem = std::move(own.key)})},
        [](Request& request, Response& response) { response.body = request.tls->version + "\n"; });
    const std::string url = "https://" + server.address() + "/";
    const auto curl = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"curl", "-q", "-sS", "--noproxy", "*", "-k"});
        more.push_back(url);
        return run(more);
    };
    EXPECT_EQ(curl({}).out, "TLSv1.3\n");
    EXPECT_EQ(curl({"--tls-max", "1.2"}).out, "TLSv1.2\n");
    EXPECT_NE(curl({"--tls-max", "1.1", "--tlsv1.0", "--ciphers", "DEFAULT@SECLEVEL=0"}).code, 0);
    EXPECT_NE(run({"curl", "-q", "-sS", "--noproxy", "*", url}).code, 0);  // a CA it does not know
}

}  // namespace
}  // namespace slipway::net
