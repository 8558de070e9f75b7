// Large files and trees on the real agent, also when it is killed in the middle.
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "remote/testing/agent_process.hpp"

#include <csignal>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace slipway::remote {
namespace {

namespace fs = std::filesystem;
using testing::AgentFolder;
using ::testing::ElementsAre;
using testing::Machine;
using ::testing::Optional;

template <class F>
std::string error_of(F&& f) {
    try {
        f();
        return "(none)";
    } catch (const Error& e) {
        return e.id();
    }
}

class HostFilesTest : public ::testing::TestWithParam<Machine> {
  protected:
    static void SetUpTestSuite() { std::signal(SIGPIPE, SIG_IGN); }  // as the program does

    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    // Bytes that differ everywhere, so that a shifted resume cannot pass.
    std::string make_file(const std::string& name, std::size_t size) const {
        std::string content;
        for (std::size_t i = 0; content.size() < size; ++i) content += std::to_string(i) + "|";
        content.resize(size);
        std::ofstream(path(name), std::ios::binary) << content;
        return content;
    }
    bool same(const std::string& name, const std::string& content) const {
        return read_file(path(name), 64u << 20) == content;
    }
    bool exists(const std::string& name) const { return fs::exists(path(name)); }

    AgentFolder folder_{GetParam()};
    AgentHost host_{"w1", folder_.dial()};
};

INSTANTIATE_TEST_SUITE_P(, HostFilesTest, ::testing::Values(Machine::amd64, Machine::arm64),
                         [](const auto& machine) {
                             return machine.param == Machine::amd64 ? "Amd64" : "Arm64";
                         });

TEST_P(HostFilesTest, TellsWhatIsThereWithoutItsContent) {
    const std::string content = make_file("large", 17u << 20);
    const std::optional<FileInfo> info = host_.file_info(path("large"), {});
    ASSERT_TRUE(info);
    EXPECT_EQ(info->size, content.size());
    EXPECT_EQ(info->sha256, sha256_hex(content));
    EXPECT_TRUE(host_.file_info(path(""), {})->folder);
    fs::create_symlink("/nowhere", path("link"));
    EXPECT_EQ(host_.file_info(path("link"), {})->link_target, "/nowhere");
    EXPECT_EQ(host_.file_info(path("none"), {}), std::nullopt);
}

TEST_P(HostFilesTest, ListsAFolderOfManyNames) {
    fs::create_directories(path("folder/b"));
    make_file("folder/a", 1);
    EXPECT_THAT(host_.list_folder(path("folder"), {}), Optional(ElementsAre("a", "b")));
    EXPECT_EQ(host_.list_folder(path("folder/a"), {}), std::nullopt);
    EXPECT_EQ(host_.list_folder(path("none"), {}), std::nullopt);
    fs::create_directory(path("many"));
    const std::string long_name(200, 'n');
    for (int i = 0; i < 5500; ++i)  // more than fits into one frame
        std::ofstream(path("many/") + long_name + std::to_string(i));
    EXPECT_EQ(host_.list_folder(path("many"), {})->size(), 5500u);
}

TEST_P(HostFilesTest, UploadsAndKnowsWhatIsThere) {
    const std::string content = make_file("from", 5'000'000);
    std::uint64_t told = 0;
    Upload what{.from = path("from"), .path = path("a/b/to"), .mode = 0750};
    const Uploaded first = host_.upload(what, [&](std::uint64_t bytes) { told = bytes; }, {});
    EXPECT_EQ(first.sent, content.size());
    EXPECT_EQ(told, content.size());
    EXPECT_TRUE(same("a/b/to", content));
    EXPECT_EQ(host_.file_info(path("a/b/to"), {})->mode, 0750U);
    const Uploaded again = host_.upload(what, {}, {});
    EXPECT_TRUE(again.already);
    EXPECT_EQ(again.sent, 0u);
    what.sha256 = sha256_hex(content);
    what.size = content.size();
    EXPECT_TRUE(host_.upload(what, {}, {}).already);
    what.path = path("with-digest");
    EXPECT_EQ(host_.upload(what, {}, {}).sent, content.size());
    EXPECT_TRUE(same("with-digest", content));
}

TEST_P(HostFilesTest, AnUploadGoesOnWhereAKilledAgentStopped) {
    const std::string content = make_file("from", 10'000'000);
    make_file("to", 100);
    const std::string before = read_file(path("to"));
    for (const bool with_digest : {false, true}) {
        Upload what{.from = path("from"), .path = path("to"), .mode = 0644};
        if (with_digest) what.sha256 = sha256_hex(content);
        bool killed = false;
        const auto kill_it = [&](std::uint64_t bytes) {
            if (bytes == 0 || killed) return;
            killed = true;
            // Not before a part has arrived: what is on the way is lost with the agent.
            while (!exists("to.slipway-part") || fs::file_size(path("to.slipway-part")) == 0)
                ::usleep(1000);
            folder_.kill_agent();
        };
        EXPECT_EQ(error_of([&] { host_.upload(what, kill_it, {}); }), "HOST-LINK-LOST");
        EXPECT_EQ(read_file(path("to")), before);
        const std::uint64_t arrived = fs::file_size(path("to.slipway-part"));
        const Uploaded rest = host_.upload(what, {}, {});
        EXPECT_EQ(rest.resumed, arrived);
        EXPECT_EQ(rest.sent, content.size() - arrived);
        EXPECT_TRUE(same("to", content));
        EXPECT_FALSE(exists("to.slipway-part"));
        std::ofstream(path("to"), std::ios::binary) << before;
    }
}

TEST_P(HostFilesTest, APartOfAnotherFileIsSentAnew) {
    const std::string content = make_file("from", 3'000'000);
    std::ofstream(path("to.slipway-part"), std::ios::binary) << std::string(1'000'000, 'x');
    fs::permissions(path("to.slipway-part"), fs::perms::owner_read | fs::perms::owner_write);
    const Uploaded done = host_.upload({.from = path("from"), .path = path("to")}, {}, {});
    EXPECT_EQ(done.resumed, 0u);
    EXPECT_TRUE(same("to", content));
}

TEST_P(HostFilesTest, AWrongDigestLeavesTheFileAsItWas) {
    make_file("from", 3'000'000);
    const std::string before = make_file("to", 1000);
    const Upload what{.from = path("from"), .path = path("to"), .sha256 = std::string(64, 'a')};
    EXPECT_EQ(error_of([&] { host_.upload(what, {}, {}); }), "HOST-DIGEST");
    EXPECT_TRUE(same("to", before));
    EXPECT_FALSE(exists("to.slipway-part"));
    const Upload wrong_size{.from = path("from"), .path = path("to"), .size = 5};
    EXPECT_EQ(error_of([&] { host_.upload(wrong_size, {}, {}); }), "DIGEST-MISMATCH");
    EXPECT_EQ(error_of([&] { host_.upload({.from = path("no"), .path = path("to")}, {}, {}); }),
              "FILE-UNREADABLE");
}

TEST_P(HostFilesTest, AnUploadThatIsCancelledIsContinuedLater) {
    const std::string content = make_file("from", 10'000'000);
    const auto stop = std::make_unique<std::stop_source>();
    const Upload what{.from = path("from"), .path = path("to")};
    const auto cancel = [&](std::uint64_t bytes) {
        if (bytes > 0) stop->request_stop();
    };
    EXPECT_THROW(host_.upload(what, cancel, {.stop = stop->get_token()}), Cancelled);
    EXPECT_FALSE(exists("to"));
    const Uploaded rest = host_.upload(what, {}, {});
    EXPECT_EQ(rest.resumed + rest.sent, content.size());
    EXPECT_TRUE(same("to", content));
    EXPECT_EQ(folder_.dialled(), 1);
}

// The request must not wait on the host for bytes that never come.
TEST_P(HostFilesTest, AFileThatShrinksWhileItIsSentEndsTheUpload) {
    make_file("from", 10'000'000);
    const Upload what{.from = path("from"), .path = path("to")};
    const auto shrink = [&](std::uint64_t bytes) {
        if (bytes > 0) fs::resize_file(path("from"), 10);
    };
    EXPECT_EQ(error_of([&] { host_.upload(what, shrink, {}); }), "FILE-UNREADABLE");
    const std::string content = make_file("from", 100'000);
    const auto free_again = [&] { return error_of([&] { host_.upload(what, {}, {}); }); };
    std::string said = free_again();
    while (said == "HOST-BUSY") said = free_again();  // until the agent has noticed
    EXPECT_EQ(said, "(none)");
    EXPECT_TRUE(same("to", content));
}

TEST_P(HostFilesTest, RemovesATree) {
    fs::create_directories(path("top/a/b"));
    make_file("top/a/b/file", 1);
    make_file("kept", 1);
    fs::create_directory_symlink(folder_.path(), path("top/link"));
    host_.remove_tree(path("top"), true, {});
    EXPECT_TRUE(fs::is_empty(path("top")));
    host_.remove_tree(path("top"), false, {});
    host_.remove_tree(path("top"), false, {});
    EXPECT_FALSE(exists("top"));
    EXPECT_TRUE(exists("kept"));
    for (const char* refused : {"/", "/etc", "/var/lib", "relative"})
        EXPECT_EQ(error_of([&] { host_.remove_tree(refused, false, {}); }), "HOST-REFUSED-INPUT");
}

}  // namespace
}  // namespace slipway::remote
