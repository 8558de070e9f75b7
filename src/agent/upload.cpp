#include "agent/upload.hpp"

#include "agent/existing_file.hpp"
#include "agent/files.hpp"
#include "agent/part_file.hpp"

#include <algorithm>

#include <sys/stat.h>

namespace slipway::agent {

namespace {

constexpr std::size_t kDigestSize = 64;
constexpr std::uint32_t kModeBits = 07777;

void check_request(const wire::Upload& wanted) {
    const bool digest = wanted.sha256.size() == kDigestSize &&
                        wanted.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!digest && !wanted.sha256.empty())
        throw Failed("bad-request", "no SHA-256 of the file to upload");
    const bool path = wanted.path.starts_with('/') && !wanted.path.ends_with('/') &&
                      wanted.path.find('\0') == std::string::npos;
    if (!path) throw Failed("bad-request", "no whole path of the file to upload");
    if ((wanted.mode & ~kModeBits) != 0) throw Failed("bad-request", "no mode of a file");
}

// It may be the file that is to come: worth a digest before it is sent.
bool has_its_size(const wire::Upload& wanted) {
    struct stat info{};
    return ::lstat(wanted.path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           static_cast<std::uint64_t>(info.st_size) == wanted.size;
}

// The rest of the content goes to the part; the proof it must have.
std::string receive_content(const wire::Upload& wanted, PartFile& part, Request& request) {
    const std::size_t whole = wanted.sha256.empty() ? Checksum::kHexSize : kDigestSize;
    std::string proof = wanted.sha256;
    while (part.size() < wanted.size || proof.size() < whole) {
        const std::optional<std::string> bytes = request.receive();
        if (!bytes) throw Failed("bad-request", "the content ended before its time");
        const auto content = static_cast<std::size_t>(
            std::min<std::uint64_t>(bytes->size(), wanted.size - part.size()));
        part.append(std::string_view(*bytes).substr(0, content));
        proof.append(*bytes, content);
    }
    if (proof.size() > whole) throw Failed("bad-request", "more content than was announced");
    return proof;
}

wire::Uploaded receive(const wire::Upload& wanted, PartFile& part, Request& request) {
    while (true) {
        wire::Uploaded result;
        result.resumed = part.size();
        part.expect(wanted.size - part.size());
        request.send(wire::Stream::out, wire::encode(wire::UploadStart{part.size()}));
        const std::string proof = receive_content(wanted, part, request);
        result.received = part.size() - result.resumed;
        if (part.proof() == proof) return result;
        part.restart();
        // The fault may lie in what was there: another version of the file, or a power cut.
        if (result.resumed == 0)
            throw Failed("digest-mismatch", "what came for " + wanted.path + " is not that file");
    }
}

}  // namespace

wire::Uploaded upload(const wire::Upload& wanted, Request& request) {
    check_request(wanted);
    const Patience patience(request, std::chrono::milliseconds(0));
    wire::Uploaded result;
    if (wanted.sha256.empty() && has_its_size(wanted)) {
        result.digest_needed = true;
        return result;
    }
    const WantedFile file{
        .path = wanted.path, .sha256 = wanted.sha256, .size = wanted.size, .mode = wanted.mode};
    const Existing existing = wanted.sha256.empty() ? Existing::none : use_existing(file, patience);
    if (existing != Existing::none) {
        result.already = existing == Existing::right;
        return result;
    }
    make_parents(wanted.path);
    PartFile part(wanted.path, wanted.sha256.empty() ? PartProof::checksum : PartProof::digest);
    if (part.size() > wanted.size) part.restart();
    part.hash_content(patience);
    try {
        result = receive(wanted, part, request);
        part.replace(wanted.mode);
        return result;
    } catch (const Failed& failed) {
        // A full disk hurts everything on the host: what we have of the file is given back.
        if (failed.code == "disk-full" || part.size() == 0) part.discard();
        throw;
    }
}

}  // namespace slipway::agent
