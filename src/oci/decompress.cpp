#include "oci/decompress.hpp"

#include "base/error.hpp"
#include "oci/archive_errors.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

namespace slipway::oci {

namespace {

// Gives the first bytes back before the rest.
class Rewound : public ByteStream {
  public:
    Rewound(std::string head, std::unique_ptr<ByteStream> rest)
        : head_(std::move(head)), rest_(std::move(rest)) {}

    std::size_t read(char* into, std::size_t max) override {
        if (at_ == head_.size()) return rest_->read(into, max);
        const std::size_t n = std::min(max, head_.size() - at_);
        std::memcpy(into, head_.data() + at_, n);
        at_ += n;
        return n;
    }

  private:
    std::string head_;
    std::size_t at_ = 0;
    std::unique_ptr<ByteStream> rest_;
};

// What both forms share: the input buffer and the account of what came in and went out.
class Decompressor : public ByteStream {
  public:
    Decompressor(std::unique_ptr<ByteStream> inner, DecompressLimits limits)
        : inner_(std::move(inner)), limits_(limits), buffer_(kChunk, '\0') {}

  protected:
    bool refill() {
        filled_ = inner_->read(buffer_.data(), buffer_.size());
        in_ += filled_;
        return filled_ > 0;
    }

    void account(std::size_t produced) {
        out_ += produced;
        if (out_ > limits_.bytes) {
            refuse_too_large(fmt::format("more than {} bytes when unpacked", limits_.bytes));
        }
        if (out_ > limits_.free_bytes && out_ / limits_.ratio > in_) {
            refuse_too_large(
                fmt::format("{} bytes unpack to more than {} times as much", in_, limits_.ratio));
        }
    }

    std::unique_ptr<ByteStream> inner_;
    DecompressLimits limits_;
    std::string buffer_;
    std::size_t filled_ = 0;
    std::uint64_t in_ = 0, out_ = 0;
};

class Gunzip : public Decompressor {
  public:
    Gunzip(std::unique_ptr<ByteStream> inner, DecompressLimits limits)
        : Decompressor(std::move(inner), limits) {
        constexpr int kGzipOnly = 16 + MAX_WBITS;
        if (inflateInit2(&z_, kGzipOnly) != Z_OK) throw std::bad_alloc();
    }
    ~Gunzip() override { inflateEnd(&z_); }
    Gunzip(const Gunzip&) = delete;
    Gunzip& operator=(const Gunzip&) = delete;

    std::size_t read(char* into, std::size_t max) override {
        max = std::min<std::size_t>(max, 1u << 30);
        z_.next_out = reinterpret_cast<Bytef*>(into);
        z_.avail_out = static_cast<uInt>(max);
        while (!ended_ && z_.avail_out == max) step();
        const std::size_t n = max - z_.avail_out;
        account(n);
        return n;
    }

  private:
    void step() {
        if (z_.avail_in == 0 && !feed()) {
            refuse_damaged("the gzip stream ends too early");
        }
        const int result = inflate(&z_, Z_NO_FLUSH);
        if (result == Z_STREAM_END) return end_member();
        if (result != Z_OK && result != Z_BUF_ERROR) {
            refuse_damaged(fmt::format("the gzip stream is wrong ({})",
                                       z_.msg != nullptr ? z_.msg : "no reason given"));
        }
    }

    bool feed() {
        if (!refill()) return false;
        z_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
        z_.avail_in = static_cast<uInt>(filled_);
        return true;
    }

    // A gzip file may be several, one after the other; zeros at the end are a tape's habit.
    void end_member() {
        while (true) {
            if (z_.avail_in == 0 && !feed()) {
                ended_ = true;
                return;
            }
            if (*z_.next_in == 0x1f) break;
            if (*z_.next_in != 0) refuse_damaged("something follows the gzip stream");
            ++z_.next_in;
            --z_.avail_in;
        }
        inflateReset(&z_);
    }

    z_stream z_{};
    bool ended_ = false;
};

class Unxz : public Decompressor {
  public:
    Unxz(std::unique_ptr<ByteStream> inner, DecompressLimits limits)
        : Decompressor(std::move(inner), limits) {
        if (lzma_stream_decoder(&z_, limits.xz_memory, LZMA_CONCATENATED) != LZMA_OK)
            throw std::bad_alloc();
    }
    ~Unxz() override { lzma_end(&z_); }
    Unxz(const Unxz&) = delete;
    Unxz& operator=(const Unxz&) = delete;

    std::size_t read(char* into, std::size_t max) override {
        z_.next_out = reinterpret_cast<std::uint8_t*>(into);
        z_.avail_out = max;
        while (!ended_ && z_.avail_out == max) step();
        const std::size_t n = max - z_.avail_out;
        account(n);
        return n;
    }

  private:
    void step() {
        if (z_.avail_in == 0 && !no_more_) {
            no_more_ = !refill();
            z_.next_in = reinterpret_cast<const std::uint8_t*>(buffer_.data());
            z_.avail_in = filled_;
        }
        switch (lzma_code(&z_, no_more_ ? LZMA_FINISH : LZMA_RUN)) {
            case LZMA_OK: return;
            case LZMA_STREAM_END: ended_ = true; return;
            case LZMA_MEM_ERROR: throw std::bad_alloc();
            case LZMA_MEMLIMIT_ERROR: refuse_too_large("the xz stream wants too much memory");
            case LZMA_BUF_ERROR: refuse_damaged("the xz stream ends too early");
            default: refuse_damaged("the xz stream is wrong");
        }
    }

    lzma_stream z_ = LZMA_STREAM_INIT;
    bool no_more_ = false, ended_ = false;
};

class Unzstd : public Decompressor {
  public:
    Unzstd(std::unique_ptr<ByteStream> inner, DecompressLimits limits)
        : Decompressor(std::move(inner), limits), z_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {
        if (!z_) throw std::bad_alloc();
        ZSTD_DCtx_setParameter(z_.get(), ZSTD_d_windowLogMax, limits.zstd_window_log);
    }

    std::size_t read(char* into, std::size_t max) override {
        ZSTD_outBuffer out{into, max, 0};
        while (out.pos == 0 && !ended_) step(out);
        account(out.pos);
        return out.pos;
    }

  private:
    void step(ZSTD_outBuffer& out) {
        // After a full output buffer the decoder may hold more, without any new input.
        if (input_.pos == input_.size && !more_inside_) {
            if (!refill()) {
                if (inside_frame_) refuse_damaged("the zstd stream ends too early");
                ended_ = true;
                return;
            }
            input_ = {buffer_.data(), filled_, 0};
        }
        const std::size_t before = input_.pos;
        const std::size_t result = ZSTD_decompressStream(z_.get(), &out, &input_);
        if (ZSTD_isError(result)) {
            refuse_damaged(fmt::format("the zstd stream is wrong ({})", ZSTD_getErrorName(result)));
        }
        inside_frame_ = result != 0;
        more_inside_ = out.pos == out.size && result != 0;
        if (more_inside_ && out.pos == 0 && before == input_.pos) more_inside_ = false;
    }

    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> z_;
    ZSTD_inBuffer input_{nullptr, 0, 0};
    bool inside_frame_ = false, more_inside_ = false, ended_ = false;
};

struct Magic {
    std::string_view bytes;
    std::string_view name;
};
constexpr Magic kOthers[] = {{"BZh", "bzip2"}, {"PK\x03\x04", "zip"}};

}  // namespace

std::unique_ptr<ByteStream> decompress(std::unique_ptr<ByteStream> stream, DecompressLimits limits,
                                       Compression* found) {
    std::string head(6, '\0');
    head.resize(read_fully(*stream, head.data(), head.size()));
    auto whole = std::make_unique<Rewound>(head, std::move(stream));
    const auto is = [&](Compression what) {
        if (found != nullptr) *found = what;
    };
    if (head.starts_with("\x1f\x8b")) {
        is(Compression::gzip);
        return std::make_unique<Gunzip>(std::move(whole), limits);
    }
    if (head.starts_with("\x28\xb5\x2f\xfd")) {
        is(Compression::zstd);
        return std::make_unique<Unzstd>(std::move(whole), limits);
    }
    if (head == std::string_view("\xfd"
                                 "7zXZ\0",
                                 6)) {
        is(Compression::xz);
        return std::make_unique<Unxz>(std::move(whole), limits);
    }
    for (const Magic& other : kOthers) {
        if (head.starts_with(other.bytes)) {
            throw UserError("ARCHIVE-DAMAGED", fmt::format("{} archives are not read", other.name),
                            {.remedy = "pack it as a plain tar, .tar.gz, .tar.xz or .tar.zst"});
        }
    }
    is(Compression::none);
    return whole;
}

}  // namespace slipway::oci
