#include "agent/testing/fetch_case.hpp"

#include "agent/fetch.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <stdlib.h>

namespace slipway::agent {

FetchCase::FetchCase() : folder_(::testing::TempDir() + "slipway-fetch-XXXXXX") {
    std::signal(SIGPIPE, SIG_IGN);  // as the agent does
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no folder for the test");
}

FetchCase::~FetchCase() { std::filesystem::remove_all(folder_); }

wire::Fetch FetchCase::wish(const std::string& url, const std::string& content) const {
    wire::Fetch wanted;
    wanted.url = url;
    wanted.sha256 = sha256_hex(content);
    wanted.size = content.size();
    wanted.path = path();
    wanted.mode = 0750;
    return wanted;
}

std::string FetchCase::text_of(const std::string& file) const {
    return read_file_if_any(file).value_or("");
}

bool FetchCase::exists(const std::string& file) const {
    return std::filesystem::exists(std::filesystem::symlink_status(file));
}

void FetchCase::put(const std::string& file, const std::string& content, unsigned mode) const {
    std::ofstream(file, std::ios::binary) << content;
    std::filesystem::permissions(file, static_cast<std::filesystem::perms>(mode));
}

std::string FetchCase::try_fetch(const wire::Fetch& wanted) {
    try {
        fetched_ = fetch(wanted, request_, limits_);
        return "ok";
    } catch (const Failed& failed) {
        return failed.code + ": " + failed.what();
    }
}

std::string answer(const std::string& content, const std::string& status,
                   const std::string& more_fields) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(content.size()) + "\r\n" +
           more_fields + "\r\n" + content;
}

}  // namespace slipway::agent
