#include "remote/testing/agent_process.hpp"

#include "remote/agent/agent_image.hpp"
#include "remote/ssh/bootstrap.hpp"

#include <csignal>
#include <fstream>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

namespace slipway::remote::testing {

namespace {

class ProcessLink final : public Link {
  public:
    ProcessLink(const SubprocessOptions& options, std::chrono::milliseconds lost_after)
        : process_(options) {
        std::string received;
        char c = 0;
        while (!received.ends_with(wire::kMagic)) {
            if (::read(process_.out(), &c, 1) != 1)
                throw std::runtime_error("no agent: " + received);
            received += c;
        }
        wire::FrameParser parser;
        std::optional<wire::Frame> hello;
        while (!(hello = parser.next())) {
            if (::read(process_.out(), &c, 1) != 1) throw std::runtime_error("no hello");
            parser.add(std::string_view(&c, 1));
        }
        boot_id_ = wire::decode<wire::Hello>(hello->payload).boot_id;
        channel_ = std::make_unique<Channel>("test", process_.in(), process_.out(), process_.err(),
                                             "", ChannelOptions{.lost_after = lost_after});
    }
    ~ProcessLink() override {
        channel_.reset();
        process_.close_in();
        process_.wait();
    }
    ProcessLink(const ProcessLink&) = delete;
    ProcessLink& operator=(const ProcessLink&) = delete;

    Channel& channel() override { return *channel_; }
    const std::string& boot_id() const override { return boot_id_; }
    const std::string& root_by() const override { return root_by_; }
    pid_t pid() const { return process_.pid(); }

  private:
    Subprocess process_;
    std::string boot_id_;
    std::string root_by_ = "root";
    std::unique_ptr<Channel> channel_;
};

}  // namespace

AgentFolder::AgentFolder(Machine machine) : machine_(machine) {
    std::string path = (std::filesystem::temp_directory_path() / "slipway-agent-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder");
    path_ = path;
    const AgentImage& image =
        embedded_agents().at(machine == Machine::amd64 ? "x86_64" : "aarch64");
    std::ofstream(path_ / "slipway-agent", std::ios::binary) << image.bytes;
    ::chmod((path_ / "slipway-agent").c_str(), 0700);
}

AgentFolder::~AgentFolder() { std::filesystem::remove_all(path_); }

Dial AgentFolder::dial() {
    return [this](const std::stop_token&) -> std::shared_ptr<Link> {
        SubprocessOptions options;
        if (machine_ == Machine::arm64) options.argv.emplace_back("qemu-aarch64-static");
        options.argv.push_back((path_ / "slipway-agent").string());
        options.argv.emplace_back("serve");
        options.env = {{"SLIPWAY_AGENT_FOLDER", (path_ / "agent").string()}};
        auto link = std::make_shared<ProcessLink>(options, std::chrono::seconds(45));
        ++dialled_;
        pid_ = link->pid();
        return link;
    };
}

void AgentFolder::kill_agent() { ::kill(pid_, SIGKILL); }

}  // namespace slipway::remote::testing
