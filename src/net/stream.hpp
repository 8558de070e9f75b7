// A connected socket, plain or with TLS, as a stream of bytes. Every wait is bounded by a Pace.
//
// The process must ignore SIGPIPE: OpenSSL and sendfile(2) write to the socket themselves.
#pragma once

#include "base/files.hpp"
#include "net/pace.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace slipway::net {

// A part of an open file. The file is shared: many connections send from one bundle at once, each
// at offsets of its own.
struct FileRange {
    std::shared_ptr<const Fd> file = {};
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

struct TlsInfo {
    std::string version = {};       // TLSv1.3
    std::string cipher = {};        // TLS_AES_128_GCM_SHA256
    std::string peer_subject = {};  // of the certificate the other side proved, "" when none
    bool kernel_sends = false;      // the kernel encrypts (kTLS), so files go without a copy
};

class Stream {
  public:
    virtual ~Stream() = default;
    Stream() = default;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // At least one byte; 0 when the other side has ended. Throws Failure, as do the others.
    virtual std::size_t read(std::span<char> into, Pace& pace) = 0;
    virtual void write(std::string_view bytes, Pace& pace) = 0;
    // All of the range, without taking it into memory when the kernel can.
    virtual void send_file(const FileRange& range, Pace& pace) = 0;
    // Says that nothing more will be written; what arrives can still be read.
    virtual void end_writing() = 0;
    // Whether the end that read() saw was said by the other side. Under TLS a mere end of the
    // connection may be somebody's cut.
    virtual bool end_was_said() const { return true; }
    virtual std::optional<TlsInfo> tls() const { return std::nullopt; }
};

// `socket` is connected and non-blocking; it stays the caller's.
std::unique_ptr<Stream> plain_stream(int socket);

}  // namespace slipway::net
