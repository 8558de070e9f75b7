// Bytes that arrive one piece after another: a file, a part of one, memory, a decompressor.
//
//     while (std::size_t n = stream.read(buffer.data(), buffer.size())) use(buffer.data(), n);
//
// read() returns 0 only at the end. What lies behind a stream never has to fit into memory.
#pragma once

#include "base/files.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace slipway::oci {

inline constexpr std::size_t kChunk = 256u << 10;  // large enough that calls cost nothing

class ByteStream {
  public:
    virtual ~ByteStream() = default;
    virtual std::size_t read(char* into, std::size_t max) = 0;
    // Passes over `count` bytes; false when the stream ends before. A file jumps, others read.
    virtual bool skip(std::uint64_t count);
};

// Where bytes go.
class ByteSink {
  public:
    virtual ~ByteSink() = default;
    virtual void write(std::string_view bytes) = 0;
};

class StringSink : public ByteSink {
  public:
    void write(std::string_view bytes) override { text.append(bytes); }
    std::string text;
};

class FdSink : public ByteSink {
  public:
    FdSink(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
    void write(std::string_view bytes) override;

  private:
    int fd_;
    std::string name_;
};

// A file that was not there before. Throws StateError BUNDLE-WRITE.
Fd new_file(const std::filesystem::path& path, mode_t mode);

// Everything the stream has left; the number of bytes.
std::uint64_t copy_all(ByteStream& from, ByteSink& to);

class MemoryStream : public ByteStream {
  public:
    explicit MemoryStream(std::string bytes) : bytes_(std::move(bytes)) {}
    std::size_t read(char* into, std::size_t max) override;

  private:
    std::string bytes_;
    std::size_t at_ = 0;
};

// A part of an open file. Reads by offset, so that many may share one descriptor.
class FileStream : public ByteStream {
  public:
    FileStream(std::shared_ptr<const Fd> file, std::string name, std::uint64_t offset,
               std::uint64_t size);
    std::size_t read(char* into, std::size_t max) override;  // throws when the file is shorter
    bool skip(std::uint64_t count) override;

  private:
    std::shared_ptr<const Fd> file_;  // shared: streams outlive whoever opened the file
    std::string name_;
    std::uint64_t at_;
    std::uint64_t left_;
};

// A regular file, opened for reading; throws UserError FILE-UNREADABLE.
std::shared_ptr<const Fd> open_regular(const std::filesystem::path& path);
std::uint64_t size_of(const Fd& file);
std::unique_ptr<ByteStream> stream_file(const std::filesystem::path& path);

// All of it; throws UserError FILE-TOO-LARGE when it is more than `limit`.
std::string read_whole(ByteStream& stream, std::size_t limit, std::string_view what);

// Exactly `size` bytes or fewer when the stream ends before.
std::size_t read_fully(ByteStream& stream, char* into, std::size_t size);

// Writes everything; throws StateError BUNDLE-WRITE with the reason.
void write_fully(int fd, std::string_view bytes, std::string_view name);
void write_at(int fd, std::string_view bytes, std::uint64_t offset, std::string_view name);

}  // namespace slipway::oci
