#include "oci/packages/rpm_metadata.hpp"

#include "base/text.hpp"
#include "oci/archive_errors.hpp"
#include "oci/packages/repository_errors.hpp"
#include "oci/packages/xml_reader.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace slipway::oci::packages {

namespace {

constexpr std::uint64_t kMaxPackage = 8ull << 30;

std::string at(const XmlAttributes& attributes, std::string_view key) {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
}

std::uint64_t number(std::string_view text, const std::string& what) {
    std::uint64_t out = 0;
    text = trim(text);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
        repository_invalid(what, "a size is not a number");
    }
    return out;
}

Digest digest_in(const std::string& type, std::string_view hex, const std::string& what) {
    const bool is_known = type == "sha256" || type == "sha512";
    const auto digest =
        is_known ? Digest::try_parse(fmt::format("{}:{}", type, trim(hex))) : std::nullopt;
    if (!digest) {
        repository_invalid(what, fmt::format("a checksum of type '{}' is none we trust",
                                             printable(type.substr(0, 40))));
    }
    return *digest;
}

bool is_plain(std::string_view text) {
    return !text.empty() && text.size() <= 200 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("+-._~^").find(c) != std::string_view::npos;
    });
}

std::string_view operator_for(const std::string& flags) {
    constexpr std::pair<std::string_view, std::string_view> kFlags[] = {
        {"EQ", "="}, {"LT", "<"}, {"LE", "<="}, {"GT", ">"}, {"GE", ">="}};
    for (const auto& [flag, text] : kFlags) {
        if (flag == flags) return text;
    }
    return "";
}

// <rpm:entry name="bash" flags="GE" epoch="0" ver="5.1" rel="2"/> as one line.
std::string entry_line(const XmlAttributes& attributes) {
    std::string name = at(attributes, "name");
    std::ranges::replace(name, '\n', ' ');
    const std::string_view op = operator_for(at(attributes, "flags"));
    const RpmVersion version{at(attributes, "epoch"), at(attributes, "ver"), at(attributes, "rel")};
    if (name.starts_with('(') || op.empty() || version.empty()) return name + "\n";
    std::string text = version.str();
    std::ranges::replace(text, ' ', '_');
    std::ranges::replace(text, '\n', '_');
    return fmt::format("{} {} {}\n", name, op, text);
}

class PrimaryReader {
  public:
    PrimaryReader(std::string what, const UseRpm& use) : what_(std::move(what)), use_(use) {}

    void begin(std::string_view name, const XmlAttributes& attributes) {
        if (name == "package") {
            package_ = {};
            files_.clear();
            section_ = nullptr;
            is_inside_ = true;
        } else if (name == "version") {
            package_.version = {at(attributes, "epoch"), at(attributes, "ver"),
                                at(attributes, "rel")};
        } else if (name == "checksum") {
            checksum_type_ = at(attributes, "type");
        } else if (name == "size") {
            package_.size = number(at(attributes, "package"), what_);
        } else if (name == "location") {
            package_.path = at(attributes, "href");
        } else if (name == "entry" && section_ != nullptr) {
            *section_ += entry_line(attributes);
        } else if (std::string* section = section_of(name)) {
            section_ = section;
        }
    }

    void end(std::string_view name, std::string_view text) {
        if (section_of(name) != nullptr) section_ = nullptr;
        if (!is_inside_) return;
        if (name == "name") package_.name = trim(text);
        if (name == "arch") package_.arch = trim(text);
        if (name == "checksum") package_.digest = digest_in(checksum_type_, text, what_);
        if (name == "file") files_.emplace_back(text);
        if (name == "package") finish();
    }

  private:
    std::string* section_of(std::string_view name) {
        if (name == "provides") return &package_.provides;
        if (name == "requires") return &package_.requirements;
        if (name == "conflicts") return &package_.conflicts;
        if (name == "obsoletes") return &package_.obsoletes;
        for (const char* weak : {"recommends", "suggests", "supplements", "enhances"}) {
            if (name == weak) return &weak_;
        }
        return nullptr;
    }

    void finish() {
        is_inside_ = false;
        weak_.clear();
        if (!is_plain(package_.name) || !is_plain(package_.arch) ||
            !is_plain(package_.version.version) || !is_plain(package_.version.release)) {
            repository_invalid(what_, fmt::format("a package has no proper name, version and "
                                                  "architecture: '{}'",
                                                  printable(package_.name.substr(0, 100))));
        }
        if (package_.digest.empty() || package_.size > kMaxPackage) {
            repository_invalid(what_,
                               fmt::format("{} has no proper checksum or size", package_.name));
        }
        if (package_.path.starts_with("./")) package_.path.erase(0, 2);
        require_safe_name(package_.path, 1024);
        use_(std::move(package_), files_);
    }

    std::string what_;
    const UseRpm& use_;
    RpmPackage package_;
    std::vector<std::string> files_;
    std::string* section_ = nullptr;
    std::string weak_;  // read over
    std::string checksum_type_;
    bool is_inside_ = false;
};

}  // namespace

std::string RpmPackage::file_name() const {
    return fmt::format("{}-{}-{}.{}.rpm", name, version.version, version.release, arch);
}

std::map<std::string, RepomdFile> parse_repomd(const std::string& text, const std::string& what) {
    std::map<std::string, RepomdFile> out;
    std::string type, checksum_type;
    RepomdFile file;
    const XmlHandler handler{
        .begin =
            [&](std::string_view name, const XmlAttributes& attributes) {
                if (name == "data") {
                    type = at(attributes, "type");
                    file = {};
                }
                if (name == "checksum") checksum_type = at(attributes, "type");
                if (name == "location") file.path = at(attributes, "href");
            },
        .end =
            [&](std::string_view name, std::string_view content) {
                const bool matters = type == "primary" || type == "filelists";
                if (!matters) return;
                if (name == "checksum") file.digest = digest_in(checksum_type, content, what);
                if (name == "size") file.size = number(content, what);
                if (name != "data") return;
                if (file.path.empty() || file.digest.empty() || file.size == 0) {
                    repository_invalid(what, type + " has no place, checksum or size");
                }
                require_safe_name(file.path, 1024);
                out.emplace(type, file);
            }};
    MemoryStream stream{text};
    read_xml(stream, what, handler);
    if (!out.contains("primary")) repository_invalid(what, "it names no primary.xml");
    return out;
}

void read_primary(ByteStream& stream, const std::string& what, const UseRpm& use) {
    PrimaryReader reader(what, use);
    read_xml(
        stream, what,
        {.begin = [&](std::string_view name,
                      const XmlAttributes& attributes) { reader.begin(name, attributes); },
         .end = [&](std::string_view name, std::string_view text) { reader.end(name, text); }});
}

void read_filelists(ByteStream& stream, const std::string& what,
                    const std::set<std::string>& wanted, const UseFiles& use) {
    std::string package;
    read_xml(stream, what,
             {.begin =
                  [&](std::string_view name, const XmlAttributes& attributes) {
                      if (name == "package") package = at(attributes, "pkgid");
                  },
              .end =
                  [&](std::string_view name, std::string_view text) {
                      if (name != "file") return;
                      const std::string path(text);
                      if (wanted.contains(path)) use(package, path);
                  }});
}

}  // namespace slipway::oci::packages
