#include "oci/tar_reader.hpp"

#include "base/text.hpp"
#include "oci/archive_errors.hpp"
#include "oci/tar_fields.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace slipway::oci {

struct TarReader::Block {
    std::array<char, kTarBlock> bytes{};

    std::string_view view() const { return {bytes.data(), bytes.size()}; }
    char type() const { return bytes[156]; }
    std::string_view field(std::size_t at, std::size_t size) const {
        return view().substr(at, size);
    }
};

// What headers in front of an entry say about it.
struct TarReader::Extensions {
    std::optional<std::string> gnu_name, gnu_link;
    std::optional<PaxRecords> pax;
    bool any() const { return gnu_name || gnu_link || pax; }
};

class TarReader::Content : public ByteStream {
  public:
    Content(ByteStream& stream, std::uint64_t size) : stream_(stream), left_(size) {}

    std::size_t read(char* into, std::size_t max) override {
        const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(max, left_));
        if (wanted == 0) return 0;
        const std::size_t n = stream_.read(into, wanted);
        if (n == 0)
            refuse_damaged(fmt::format("it ends {} bytes before the end of an entry", left_));
        left_ -= n;
        return n;
    }

    bool skip(std::uint64_t count) override {
        const std::uint64_t n = std::min(count, left_);
        if (!stream_.skip(n)) refuse_damaged("it ends inside an entry");
        left_ -= n;
        return n == count;
    }

    std::uint64_t left() const { return left_; }

  private:
    ByteStream& stream_;
    std::uint64_t left_;
};

TarReader::TarReader(ByteStream& stream, TarLimits limits) : stream_(stream), limits_(limits) {}
TarReader::~TarReader() = default;

ByteStream& TarReader::content() {
    if (!content_) content_ = std::make_unique<Content>(stream_, 0);
    return *content_;
}

bool TarReader::read_block(Block& block) {
    const std::size_t n = read_fully(stream_, block.bytes.data(), kTarBlock);
    position_ += n;
    if (n == 0) return false;
    if (n < kTarBlock) refuse_damaged("it ends inside a header");
    return true;
}

void TarReader::finish_content() {
    if (!content_) return;
    content_->skip(content_->left());
    content_.reset();
    if (!stream_.skip(padding_)) refuse_damaged("it ends inside an entry");
    position_ += padding_;
}

std::string TarReader::read_extension(std::uint64_t size) {
    if (size > limits_.extension) refuse_too_large("a header before an entry has no end");
    std::string text(static_cast<std::size_t>(size), '\0');
    const std::uint64_t padding = tar_padding(size);
    if (read_fully(stream_, text.data(), text.size()) < text.size() || !stream_.skip(padding)) {
        refuse_damaged("it ends inside a header");
    }
    position_ += size + padding;
    return text;
}

void TarReader::take_extension(const Block& block, Extensions& extensions) {
    const std::string text = read_extension(tar_number(block.field(124, 12), "size"));
    if (block.type() == 'g') {
        const PaxRecords records = parse_pax(text);
        // For all entries at once these can only be meant to confuse.
        if (records.path || records.link || records.size) {
            refuse_unsafe("global header", "it names or sizes every entry");
        }
        return;
    }
    const auto set = [](auto& slot, auto value) {
        if (slot) refuse_unsafe("header", "two headers name the same entry");
        slot = std::move(value);
    };
    if (block.type() == 'x') return set(extensions.pax, parse_pax(text));
    std::string name = text.substr(0, text.find('\0'));
    set(block.type() == 'L' ? extensions.gnu_name : extensions.gnu_link, std::move(name));
}

namespace {

TarEntry::Type entry_type(char flag, std::string_view name) {
    switch (flag) {
        case '0':
        case '\0': return name.ends_with('/') ? TarEntry::Type::folder : TarEntry::Type::file;
        case '1': return TarEntry::Type::hardlink;
        case '2': return TarEntry::Type::symlink;
        case '5': return TarEntry::Type::folder;
        case '3':
        case '4': refuse_unsafe(name, "it is a device");
        case '6': refuse_unsafe(name, "it is a pipe");
        case 'S': refuse_unsafe(name, "it is a sparse file");
        case 'M': refuse_unsafe(name, "it goes on in another archive");
        default:
            refuse_unsafe(name, fmt::format("it is of the unknown kind 0x{:02x}",
                                            static_cast<unsigned char>(flag)));
    }
}

// "./a//b/" and "a/b" are one name.
std::string plain_name(std::string_view name) {
    std::string out;
    for (const std::string& part : split(name, '/')) {
        if (part.empty() || part == ".") continue;
        if (!out.empty()) out += '/';
        out += part;
    }
    return out.empty() ? "." : out;
}

std::string header_name(std::string_view block) {
    std::string name(tar_text(block.substr(0, 100)));
    // Only POSIX's own form has a prefix; GNU's keeps times there.
    const bool is_ustar = block.substr(257, 6) == std::string_view("ustar\0", 6);
    const std::string_view prefix = tar_text(block.substr(345, 155));
    if (is_ustar && !prefix.empty()) name = std::string(prefix) + "/" + name;
    return name;
}

}  // namespace

TarEntry TarReader::make_entry(const Block& block, const Extensions& extensions) const {
    std::string name = header_name(block.view());
    std::string link(tar_text(block.field(157, 100)));
    TarEntry entry;
    entry.size = tar_number(block.field(124, 12), "size");
    if (extensions.gnu_name) name = *extensions.gnu_name;
    if (extensions.gnu_link) link = *extensions.gnu_link;
    if (extensions.pax) {
        const PaxRecords& pax = *extensions.pax;
        if ((pax.path && extensions.gnu_name) || (pax.link && extensions.gnu_link)) {
            refuse_unsafe(name, "two headers name it differently");
        }
        if (pax.sparse) refuse_unsafe(name, "it is a sparse file");
        name = pax.path.value_or(name);
        link = pax.link.value_or(link);
        entry.size = pax.size.value_or(entry.size);
    }
    require_safe_name(name, limits_.name);
    entry.type = entry_type(block.type(), name);
    entry.name = plain_name(name);
    entry.link_target = std::move(link);
    entry.mode = static_cast<std::uint32_t>(tar_number(block.field(100, 8), "mode") & 07777);
    entry.uid = static_cast<std::uint32_t>(tar_number(block.field(108, 8), "uid"));
    entry.gid = static_cast<std::uint32_t>(tar_number(block.field(116, 8), "gid"));
    entry.mtime = static_cast<std::int64_t>(tar_number(block.field(136, 12), "mtime"));
    entry.offset = position_;
    return entry;
}

void TarReader::admit(const TarEntry& entry) {
    if (++entries_ > limits_.entries) {
        refuse_too_large(fmt::format("more than {} entries", limits_.entries));
    }
    if (entry.type != TarEntry::Type::file && entry.size != 0) {
        refuse_unsafe(entry.name, "only files may have content");
    }
    if (entry.type != TarEntry::Type::folder && entry.name == ".") {
        refuse_unsafe(entry.name, "the top of the archive is no file");
    }
    if (entry.size > limits_.bytes || bytes_ + entry.size > limits_.bytes) {
        refuse_too_large(
            fmt::format("more than {} bytes at entry '{}'", limits_.bytes, printable(entry.name)));
    }
    bytes_ += entry.size;
    // tar writes a folder again when it adds to it; anything else twice hides one of the two.
    if (!names_.insert(entry.name).second && entry.type != TarEntry::Type::folder) {
        refuse_unsafe(entry.name, "the name is there twice");
    }
}

// Reading to the very end lets a decompressor compare its checksum; an archive behind the archive
// would be seen by some readers only.
void TarReader::require_empty_rest() {
    std::string piece(kChunk, '\0');
    while (const std::size_t n = stream_.read(piece.data(), piece.size())) {
        if (std::string_view(piece.data(), n).find_first_not_of('\0') != std::string_view::npos) {
            refuse_damaged("something follows its end mark");
        }
    }
}

std::optional<TarEntry> TarReader::next() {
    if (ended_) return std::nullopt;
    finish_content();
    Extensions extensions;
    Block block;
    while (read_block(block)) {
        if (std::ranges::all_of(block.bytes, [](char c) { return c == 0; })) {
            if (extensions.any()) refuse_damaged("a header is not followed by its entry");
            ended_ = true;
            require_empty_rest();
            return std::nullopt;
        }
        require_tar_checksum(block.view());
        if (std::string_view("xgLK").find(block.type()) != std::string_view::npos) {
            take_extension(block, extensions);
            if (++entries_ > limits_.entries) refuse_too_large("headers without end");
            continue;
        }
        TarEntry entry = make_entry(block, extensions);
        admit(entry);
        padding_ = tar_padding(entry.size);
        position_ += entry.size;
        content_ = std::make_unique<Content>(stream_, entry.size);
        return entry;
    }
    refuse_damaged("it has no end mark: the rest of it is missing");
}

}  // namespace slipway::oci
