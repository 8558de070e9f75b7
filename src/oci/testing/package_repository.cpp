#include "oci/testing/package_repository.hpp"

#include "base/text.hpp"
#include "oci/digest.hpp"
#include "oci/testing/raw_tar.hpp"

#include <fstream>

#include <fmt/format.h>

namespace slipway::oci::testing {

namespace {

void put(const std::filesystem::path& path, std::string_view content) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
}

std::string packed(const std::string& text, const std::string& ending) {
    if (ending == ".xz") return xz(text);
    if (ending == ".gz") return gzip(text);
    if (ending == ".zst") return zstd(text);
    return text;
}

std::string xml_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return out;
}

// "bash >= 1:5.1-2" as an entry of primary.xml.
std::string entry(const std::string& relation) {
    const std::map<std::string, std::string> flags = {
        {"=", "EQ"}, {"<", "LT"}, {"<=", "LE"}, {">", "GT"}, {">=", "GE"}};
    const std::vector<std::string> words = split(relation, ' ');
    if (words.size() != 3 || !flags.contains(words[1])) {
        return fmt::format("<rpm:entry name=\"{}\"/>", xml_text(relation));
    }
    std::string version = words[2], epoch = "0", release;
    if (const auto colon = version.find(':'); colon != std::string::npos) {
        epoch = version.substr(0, colon);
        version.erase(0, colon + 1);
    }
    if (const auto dash = version.find('-'); dash != std::string::npos) {
        release = fmt::format(" rel=\"{}\"", version.substr(dash + 1));
        version.resize(dash);
    }
    return fmt::format("<rpm:entry name=\"{}\" flags=\"{}\" epoch=\"{}\" ver=\"{}\"{}/>",
                       xml_text(words[0]), flags.at(words[1]), epoch, version, release);
}

std::string section(const std::string& name, const std::vector<std::string>& relations) {
    std::string out = "<rpm:" + name + ">";
    for (const std::string& relation : relations) out += entry(relation);
    return out + "</rpm:" + name + ">";
}

std::string files_xml(const std::vector<std::string>& files) {
    std::string out;
    for (const std::string& file : files) out += "<file>" + xml_text(file) + "</file>";
    return out;
}

}  // namespace

DebRepository& DebRepository::add(const SmallDeb& deb) {
    const std::string content =
        deb.content.empty() ? fmt::format("deb {} {}", deb.name, deb.version) : deb.content;
    const std::string path = fmt::format("pool/{}_{}_{}.deb", deb.name, deb.version, deb.arch);
    put(folder_ / path, content);
    packages_ += fmt::format("Package: {}\nVersion: {}\nArchitecture: {}\n", deb.name, deb.version,
                             deb.arch);
    if (!deb.depends.empty()) packages_ += fmt::format("Depends: {}\n", deb.depends);
    packages_ += deb.more;
    packages_ += fmt::format("Filename: {}\nSize: {}\nSHA256: {}\n\n", path, content.size(),
                             digest_of(content).hex);
    return *this;
}

std::string DebRepository::release(const std::string& ending) const {
    const std::string index = packed(packages_, ending);
    return fmt::format("{}SHA256:\n {} {} main/binary-amd64/Packages{}\n", release_fields,
                       digest_of(index).hex, index.size(), ending);
}

void DebRepository::write(const std::string& ending) const {
    const auto dist = folder_ / "dists/bookworm";
    put(dist / ("main/binary-amd64/Packages" + ending), packed(packages_, ending));
    put(dist / "Release", release(ending));
}

RpmRepository& RpmRepository::add(const SmallRpm& rpm) {
    const std::string content = fmt::format("rpm {} {}-{}", rpm.name, rpm.version, rpm.release);
    const std::string path =
        fmt::format("Packages/{}-{}-{}.{}.rpm", rpm.name, rpm.version, rpm.release, rpm.arch);
    put(folder_ / path, content);
    const std::string digest = digest_of(content).hex;
    const std::string version = fmt::format("<version epoch=\"{}\" ver=\"{}\" rel=\"{}\"/>",
                                            rpm.epoch, rpm.version, rpm.release);
    std::vector<std::string> provides = rpm.provides;
    provides.push_back(fmt::format("{} = {}:{}-{}", rpm.name, rpm.epoch, rpm.version, rpm.release));
    packages_ += fmt::format(
        "<package type=\"rpm\"><name>{}</name><arch>{}</arch>{}<checksum type=\"sha256\" "
        "pkgid=\"YES\">{}</checksum><summary>s</summary><size package=\"{}\" installed=\"1\"/>"
        "<location "
        "href=\"{}\"/><format><rpm:license>x</rpm:license>{}{}{}{}{}{}</format></package>\n",
        rpm.name, rpm.arch, version, digest, content.size(), path, section("provides", provides),
        section("requires", rpm.needs), section("conflicts", rpm.conflicts),
        section("obsoletes", rpm.obsoletes), section("recommends", {"never-taken"}),
        files_xml(rpm.files));
    file_lists_ +=
        fmt::format("<package pkgid=\"{}\" name=\"{}\" arch=\"{}\">{}{}{}</package>\n", digest,
                    rpm.name, rpm.arch, version, files_xml(rpm.files), files_xml(rpm.hidden_files));
    return *this;
}

std::string RpmRepository::primary() const {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<metadata "
           "xmlns=\"http://linux.duke.edu/metadata/common\" "
           "xmlns:rpm=\"http://linux.duke.edu/metadata/rpm\">\n" +
           packages_ + "</metadata>\n";
}

void RpmRepository::write(const std::string& ending) const {
    std::string data;
    const auto add = [&](const std::string& type, const std::string& text) {
        const std::string bytes = packed(text, ending);
        const std::string path = "repodata/" + type + ".xml" + ending;
        put(folder_ / path, bytes);
        data += fmt::format(
            "<data type=\"{}\"><checksum type=\"sha256\">{}</checksum><location href=\"{}\"/>"
            "<size>{}</size></data>",
            type, digest_of(bytes).hex, path, bytes.size());
    };
    add("primary", primary());
    add("filelists", "<filelists>" + file_lists_ + "</filelists>");
    data += "<data type=\"other\"><checksum type=\"sha\">x</checksum></data>";
    put(folder_ / "repodata/repomd.xml", "<repomd>" + data + "</repomd>");
}

}  // namespace slipway::oci::testing
