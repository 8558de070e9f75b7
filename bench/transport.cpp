// slipway_transport SPEC KNOWN_HOSTS HOST VERB …: one connection to a real machine, without a run.
//
//     measure MIB COMMANDS            seconds to connect, of one command (median), of an upload
//     upload FILE PATH SHA256 [STOP]  "-": no digest; ends the process after STOP bytes
//     info PATH | list PATH
//     remove-tree PATH [keep-top]
//
// Prints JSON. The hosts benchmark (hosts.py) puts ssh and scp beside it; tests/hosts/files_test.py
// looks at what it did.
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "config/load.hpp"
#include "remote/real_fleet.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <span>
#include <stdexcept>
#include <vector>

namespace {

using namespace slipway;
using Words = std::span<char*>;

double seconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

json::value measure(remote::Host& host, Words words) {
    const double connect = seconds_of([&] { host.run({.argv = {"true"}}, {}); });
    std::vector<double> runs(std::stoul(words[1]));
    for (double& run : runs) run = seconds_of([&] { host.run({.argv = {"true"}}, {}); });
    std::ranges::sort(runs);
    std::string content(std::stoul(words[0]) << 20, 'x');
    for (std::size_t i = 0; i < content.size(); i += 64) content[i] = static_cast<char>(i * 31);
    const double upload =
        seconds_of([&] { host.write_file("/var/tmp/slipway-bench", {.content = content}, {}); });
    host.remove_file("/var/tmp/slipway-bench", {});
    return json::object{
        {"connect", connect}, {"command", runs[runs.size() / 2]}, {"upload", upload}};
}

json::value upload(remote::Host& host, Words words) {
    const std::string digest = words[2];
    const std::uint64_t stop = words.size() > 3 ? std::stoull(words[3]) : 0;
    remote::Uploaded done;
    const double seconds = seconds_of([&] {
        done =
            host.upload({.from = words[0], .path = words[1], .sha256 = digest == "-" ? "" : digest},
                        [&](std::uint64_t bytes) {
                            if (stop != 0 && bytes >= stop) std::raise(SIGKILL);
                        },
                        {});
    });
    return json::object{{"already", done.already},
                        {"resumed", done.resumed},
                        {"sent", done.sent},
                        {"seconds", seconds}};
}

json::value info(remote::Host& host, const std::string& path) {
    const std::optional<remote::FileInfo> info = host.file_info(path, {});
    if (!info) return nullptr;
    return json::object{{"folder", info->folder},
                        {"mode", info->mode},
                        {"size", info->size},
                        {"sha256", info->sha256}};
}

json::value list(remote::Host& host, const std::string& path) {
    const auto names = host.list_folder(path, {});
    if (!names) return nullptr;
    return json::array(names->begin(), names->end());
}

json::value call(remote::Host& host, const std::string& verb, Words words) {
    if (verb == "measure" && words.size() == 2) return measure(host, words);
    if (verb == "upload" && words.size() >= 3) return upload(host, words);
    if (verb == "info" && words.size() == 1) return info(host, words[0]);
    if (verb == "list" && words.size() == 1) return list(host, words[0]);
    if (verb == "remove-tree" && !words.empty()) {
        host.remove_tree(words[0], words.size() > 1, {});
        return json::object{};
    }
    throw std::invalid_argument("no such verb, or not its arguments");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) return 64;
    std::signal(SIGPIPE, SIG_IGN);  // as the program does
    try {
        const config::Spec spec = config::load_spec({{argv[1], read_file(argv[1])}}).spec;
        remote::RealFleet fleet(spec, {}, {.known_hosts = argv[2]});
        const Words words(argv, static_cast<std::size_t>(argc));
        std::cout << json::serialize(call(fleet.host(argv[3]), argv[4], words.subspan(5))) << "\n";
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
