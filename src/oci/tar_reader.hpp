// Reads a tar one entry after another: ustar, pax and GNU long names; no seeking needed.
//
//     TarReader tar(stream);
//     while (const auto entry = tar.next()) {
//         if (entry->type == TarEntry::Type::file) use(entry->name, read_whole(tar.content(), …));
//     }
//
// Archives come from others. Refused with UserError ARCHIVE-UNSAFE, naming the entry: absolute
// names and `..`, devices, pipes, sparse files, names that two readers would read differently, the
// same name twice. ARCHIVE-DAMAGED: wrong checksums and numbers, an end that is too early.
// ARCHIVE-TOO-LARGE: more than the limits allow. Links are reported, never followed: whoever wants
// none refuses them.
#pragma once

#include "oci/byte_stream.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

namespace slipway::oci {

struct TarEntry {
    enum class Type { file, folder, symlink, hardlink };

    std::string name = {};  // relative, without ./ in front and / at the end; "." is the top itself
    Type type = Type::file;
    std::uint64_t size = 0;
    std::uint32_t mode = 0644;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::int64_t mtime = 0;
    std::string link_target = {};
    std::uint64_t offset = 0;  // of the content in the stream
};

struct TarLimits {
    std::uint64_t entries = 200'000;
    std::uint64_t bytes = 1ull << 42;  // of all contents together
    std::size_t name = 4096;
    std::size_t extension = 1u << 20;  // of a pax header or a long name
};

class TarReader {
  public:
    explicit TarReader(ByteStream& stream, TarLimits limits = {});
    ~TarReader();
    TarReader(const TarReader&) = delete;
    TarReader& operator=(const TarReader&) = delete;

    std::optional<TarEntry> next();  // passes over what is left of the last content
    ByteStream& content();           // of the entry next() returned

  private:
    struct Block;
    struct Extensions;
    class Content;

    bool read_block(Block& block);
    void finish_content();
    void take_extension(const Block& block, Extensions& extensions);
    std::string read_extension(std::uint64_t size);
    TarEntry make_entry(const Block& block, const Extensions& extensions) const;
    void admit(const TarEntry& entry);
    void require_empty_rest();

    ByteStream& stream_;
    TarLimits limits_;
    std::uint64_t position_ = 0;
    std::uint64_t padding_ = 0;
    std::uint64_t entries_ = 0;
    std::uint64_t bytes_ = 0;
    std::unique_ptr<Content> content_;
    std::unordered_set<std::string> names_;
    bool ended_ = false;
};

}  // namespace slipway::oci
