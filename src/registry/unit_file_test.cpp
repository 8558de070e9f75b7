#include "registry/unit_file.hpp"

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "oci/testing/temp_folder.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>

namespace slipway::registry {
namespace {

using oci::testing::TempFolder;
using ::testing::HasSubstr;

TEST(UnitFile, QuotesWhatSystemdWouldRead) {
    const std::string unit = unit_file(
        {.program = "/opt/my slipway",
         .arguments = {"/srv/a b.bundle", "--name", "50%", "$HOME", "say \"x\"", "back\\slash"},
         .writable = {"/srv/my store", "/srv/50% $x"}});
    EXPECT_THAT(unit, HasSubstr("ExecStart=\"/opt/my slipway\" registry serve \"/srv/a b.bundle\" "
                                "\"--name\" \"50%%\" \"$$HOME\" \"say \\\"x\\\"\" "
                                "\"back\\\\slash\"\n"));
    EXPECT_THAT(unit, HasSubstr("ReadWritePaths=\"-/srv/my store\"\n"));
    EXPECT_THAT(unit, HasSubstr("ReadWritePaths=\"-/srv/50%% $x\"\n"));
}

std::string systemd_analyze(std::vector<std::string> arguments, int& code) {
    arguments.insert(arguments.begin(), "systemd-analyze");
    Subprocess process({.argv = std::move(arguments)});
    process.close_in();
    const std::string out = read_all(process.out(), "output") + read_all(process.err(), "errors");
    code = process.wait();
    return out;
}

TEST(UnitFile, RunsAsAUserOfItsOwnUnlessOneIsNamed) {
    EXPECT_THAT(unit_file({}), HasSubstr("DynamicUser=yes"));
    const std::string named = unit_file({.user = "images"});
    EXPECT_THAT(named, HasSubstr("User=images\n"));
    EXPECT_THAT(named, Not(HasSubstr("DynamicUser")));
}

TEST(UnitFile, IsOfOtherServersToo) {
    const std::string unit = unit_file({.command = "serve",
                                        .service = "slipway",
                                        .description = "Slipway server",
                                        .starts_others = true,
                                        .user = "root"});
    EXPECT_THAT(unit, HasSubstr("ExecStart=\"/usr/local/bin/slipway\" serve\n"));
    EXPECT_THAT(unit, HasSubstr("StateDirectory=slipway\n"));
    EXPECT_THAT(unit, HasSubstr("KillMode=process\n"));   // runs outlive it
    EXPECT_THAT(unit, HasSubstr("TasksMax=infinity\n"));  // and need tasks and memory of their own
    EXPECT_THAT(unit, Not(HasSubstr("MemoryMax")));
    EXPECT_THAT(unit_file({}), Not(HasSubstr("KillMode")));
    EXPECT_THAT(unit_file({}), HasSubstr("MemoryMax=2G\nTasksMax=4096\n"));
}

TEST(UnitFile, HandsOnWhatOnlyRootMayRead) {
    const std::string unit = unit_file({.credentials = {{"--tls-key", "/etc/50%/my key"}}});
    EXPECT_THAT(unit, HasSubstr("LoadCredential=tls-key:/etc/50%%/my key\n"));
    EXPECT_THAT(unit, HasSubstr(" \"--tls-key\" \"${CREDENTIALS_DIRECTORY}/tls-key\"\n"));
}

TEST(UnitFile, MayListenBelow1024OnlyWhenItHasTo) {
    EXPECT_THAT(unit_file({.low_port = true}),
                HasSubstr("\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n"
                          "CapabilityBoundingSet=CAP_NET_BIND_SERVICE\n"));
    EXPECT_THAT(unit_file({}), HasSubstr("\nAmbientCapabilities=\nCapabilityBoundingSet=\n"));
}

TEST(UnitFile, IsOneAndHardened) {
    const TempFolder folder;
    const std::string file =
        folder
            .write("slipway-registry.service", unit_file({.program = "/bin/true",
                                                          .arguments = {"/srv/x.bundle"},
                                                          .credentials = {{"--login", "/etc/l"}},
                                                          .writable = {"/srv"},
                                                          .low_port = true}))
            .string();
    int code = 0;
    std::string out = systemd_analyze({"verify", "--man=no", file}, code);
    EXPECT_THAT(out, Not(HasSubstr("Unknown"))) << out;
    EXPECT_EQ(code, 0) << out;
    // Of 100, in tenths: "exposed" begins above 40.
    out =
        systemd_analyze({"security", "--offline=true", "--threshold=25", "--no-pager", file}, code);
    EXPECT_EQ(code, 0) << out;
}

TEST(Notify, TellsSystemdWhenItListens) {
    const TempFolder folder;
    const std::string path = (folder / "notify").string();
    const Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(path.size(), sizeof address.sun_path);
    path.copy(address.sun_path, path.size());
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
    notify_systemd("READY=1");
    std::string got(100, '\0');
    const ssize_t size = ::recv(socket.get(), got.data(), got.size(), MSG_DONTWAIT);
    ::unsetenv("NOTIFY_SOCKET");
    ASSERT_GT(size, 0);
    EXPECT_EQ(got.substr(0, static_cast<std::size_t>(size)), "READY=1");
    notify_systemd("READY=1");  // nobody listens
}

}  // namespace
}  // namespace slipway::registry
