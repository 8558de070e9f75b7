// `slipway registry …` as a user types it.
#include "base/base64.hpp"
#include "base/files.hpp"
#include "cli/app.hpp"
#include "cli/testing/ran.hpp"
#include "net/http_client.hpp"
#include "oci/bundle_writer.hpp"
#include "oci/digest.hpp"
#include "oci/testing/small_images.hpp"
#include "oci/testing/temp_folder.hpp"
#include "registry/logins.hpp"
#include "registry/store.hpp"

#include <csignal>
#include <iostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::cli {
namespace {

std::string basic(std::string_view login) {
    return "Basic " + std::string(to_base64(login).reveal());
}

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Ran;
namespace fs = std::filesystem;

// The program in a process of its own, for a command that goes on until it is told to end.
class Running {
  public:
    explicit Running(const std::vector<std::string>& args) {
        int ends[2] = {-1, -1};
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(ends[1], STDERR_FILENO);
            Output output(std::cout, std::cerr);
            ExitCode code = ExitCode::failed;
            try {
                code = run_program(args, output);
            } catch (const std::exception& e) {
                std::cerr << e.what() << std::endl;
            }
            std::cerr.flush();
            ::_exit(static_cast<int>(code));
        }
        ::close(ends[1]);
        err_ = Fd(ends[0]);
    }
    ~Running() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    std::string line() const {
        std::string out;
        char c = 0;
        while (::read(err_.get(), &c, 1) == 1 && c != '\n') out += c;
        return out;
    }
    int end(int signal) {
        ::kill(child_, signal);
        int status = 0;
        ::waitpid(child_, &status, 0);
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }

  private:
    pid_t child_ = -1;
    Fd err_;
};

class RegistryCommands : public ::testing::Test {
  protected:
    void SetUp() override {
        std::signal(SIGPIPE, SIG_IGN);
        const auto images = oci::testing::sample_images();
        oci::write_bundle(folder_ / "x.bundle", oci::lay_out(images.content()), images.opener());
    }
    std::string at(std::string_view name) const { return (folder_ / name).string(); }
    Ran run(std::vector<std::string> args) {
        args.insert(args.end(), {"--state", at("state")});
        return testing::run_command(args);
    }
    static std::string url_in(const std::string& line) {
        const std::size_t begin = line.find("http");
        return line.substr(begin, line.find(' ', begin) - begin);
    }
    oci::testing::TempFolder folder_;
};

TEST_F(RegistryCommands, ServeSaysWhenItIsReadyAndEndsWhenTold) {
    Running serve({"registry", "serve", at("x.bundle"), "--store", at("store"), "--plain-http",
                   "--listen", "127.0.0.1:0", "--state", at("state")});
    const std::string line = serve.line();
    EXPECT_THAT(line,
                AllOf(HasSubstr("ready: http://127.0.0.1:"), HasSubstr("(4 names, writable)")));
    net::HttpClient client;
    EXPECT_EQ(client.send({.url = Url::parse(url_in(line) + "/v2/one/manifests/v1")}).status, 200);
    EXPECT_EQ(serve.end(SIGTERM), 0);
}

TEST_F(RegistryCommands, ServeSaysWhoHasSignedAndRefusesOthersWhenKeysAreNamed) {
    ::setenv("XDG_CONFIG_HOME", at("config").c_str(), 1);
    ASSERT_EQ(run({"bundle", "keygen", at("release")}).code, ExitCode::ok);
    ASSERT_EQ(run({"bundle", "keygen", at("other")}).code, ExitCode::ok);
    const std::vector<std::string> serve = {"registry",     "serve",    at("x.bundle"),
                                            "--plain-http", "--listen", "127.0.0.1:0",
                                            "--state",      at("state")};
    const auto line = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = serve;
        all.insert(all.end(), more.begin(), more.end());
        Running running(all);
        const std::string out = running.line();
        running.end(SIGTERM);
        return out;
    };
    EXPECT_THAT(line({}), AllOf(HasSubstr("ready:"), HasSubstr("x.bundle: unsigned")));
    EXPECT_THAT(line({"--key", at("release.pub")}), HasSubstr("BUNDLE-UNSIGNED"));
    ASSERT_EQ(run({"bundle", "sign", at("x.bundle"), "--key", at("release.key")}).code,
              ExitCode::ok);
    EXPECT_THAT(line({}), AllOf(HasSubstr("ready:"), HasSubstr("signed, key not known")));
    EXPECT_THAT(line({"--key", at("other.pub")}), HasSubstr("BUNDLE-SIGNER-UNKNOWN"));
    EXPECT_THAT(line({"--key", at("other.pub"), "--key", at("release.pub")}),
                AllOf(HasSubstr("ready:"), HasSubstr("signed by "), HasSubstr("(trusted)")));
    ASSERT_EQ(run({"bundle", "trust", "add", at("release.pub")}).code, ExitCode::ok);
    EXPECT_THAT(line({}), AllOf(HasSubstr("ready:"), HasSubstr("(trusted)")));
    EXPECT_EQ(run({"registry", "serve", "--store", at("s"), "--key", at("release.pub")}).code,
              ExitCode::usage);
    ::unsetenv("XDG_CONFIG_HOME");
}

TEST_F(RegistryCommands, ServeSaysWhatToTrust) {
    Running serve({"registry", "serve", at("x.bundle"), "--listen", "127.0.0.1:0", "--tls-dir",
                   at("tls"), "--state", at("state")});
    const std::string line = serve.line();
    EXPECT_THAT(line, AllOf(HasSubstr("ready: https://127.0.0.1:"), HasSubstr("read-only"),
                            HasSubstr("clients trust " + at("tls/ca.crt"))));
    net::HttpClient client({.tls = {.ca_pem = read_file(at("tls/ca.crt"))}});
    EXPECT_EQ(client.send({.url = Url::parse(url_in(line) + "/v2/")}).status, 200);
    EXPECT_EQ(serve.end(SIGINT), 0);
}

TEST_F(RegistryCommands, ServeRefusesWhatMakesNoSense) {
    const std::vector<std::vector<std::string>> all = {
        {},
        {at("x.bundle"), "--tls-cert", "x"},
        {at("x.bundle"), "--tls-key", "x"},
        {at("x.bundle"), "--plain-http", "--tls-cert", "x", "--tls-key", "y"},
        {at("x.bundle"), "--anyone-reads"},
        {at("x.bundle"), "--max-connections", "0"},
        {at("x.bundle"), "--max-blob", "0"},
        {at("x.bundle"), "--max-blob", "99999999999999"},
        {at("x.bundle"), "--gc-hours", "-1"},
        {at("x.bundle"), "--gc-hours", "9223372036854775807"},
        {at("x.bundle"), "--unknown"}};
    for (const char* command : {"serve", "unit"}) {
        for (std::vector<std::string> options : all) {
            options.insert(options.begin(), {"registry", command});
            EXPECT_EQ(run(options).code, ExitCode::usage) << options.back();
        }
    }
}

TEST_F(RegistryCommands, ServeFailsByName) {
    const auto serve = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"registry", "serve"});
        const Ran ran = run(std::move(options));
        EXPECT_EQ(ran.code, ExitCode::failed);
        return ran.err;
    };
    EXPECT_THAT(serve({at("absent"), "--plain-http"}), HasSubstr(at("absent")));
    EXPECT_THAT(serve({at("x.bundle"), "--plain-http", "--listen", "0.0.0.0:0"}),
                HasSubstr("REGISTRY-PLAIN-HTTP"));
    EXPECT_THAT(serve({at("x.bundle"), "--plain-http", "--listen", "nonsense"}),
                HasSubstr("error"));
    const registry::Store open(at("store"));
    EXPECT_THAT(serve({"--store", at("store"), "--plain-http", "--listen", "127.0.0.1:0"}),
                HasSubstr("STORE-BUSY"));
}

TEST_F(RegistryCommands, GcRemovesWhatNothingRefersTo) {
    {
        registry::Store store(at("store"));
        const std::string bytes = "nobody's";
        store.take_blob("a", oci::digest_of(bytes), folder_.write("store/uploads/x", bytes),
                        bytes.size());
    }
    const auto gc = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"registry", "gc", "--store", at("store"), "-o", "json"});
        const Ran ran = run(std::move(more));
        EXPECT_EQ(ran.code, ExitCode::ok) << ran.err;
        return ran.object();
    };
    EXPECT_EQ(gc({}).at("removed").to_number<int>(), 0);
    EXPECT_EQ(gc({"--older-than", "0", "--dry-run"}).at("bytes").to_number<int>(), 8);
    EXPECT_FALSE(gc({"--older-than", "0", "--dry-run"}).contains("uploads"));
    EXPECT_EQ(run({"registry", "gc", "--store", at("store"), "--older-than", "0", "--dry-run"}).out,
              "would remove 1 blobs, 8 B; 0 kept\n");
    EXPECT_EQ(gc({"--older-than", "0"}).at("removed").to_number<int>(), 1);
    EXPECT_EQ(gc({"--older-than", "0"}).at("removed").to_number<int>(), 0);
    EXPECT_THAT(run({"registry", "gc", "--store", at("store")}).out, HasSubstr("removed 0 blobs"));
    EXPECT_EQ(run({"registry", "gc"}).code, ExitCode::usage);
    EXPECT_EQ(run({"registry", "gc", "--store", at("store"), "--older-than", "-1"}).code,
              ExitCode::usage);
    EXPECT_EQ(run({"registry", "gc", "--store", at("absent")}).code, ExitCode::failed);
    EXPECT_FALSE(fs::exists(at("absent")));
    const registry::Store open(at("store"));
    EXPECT_THAT(run({"registry", "gc", "--store", at("store")}).err, HasSubstr("STORE-BUSY"));
}

// Standard input with a text in it, for as long as it lives.
class Input {
  public:
    explicit Input(const fs::path& file) : former_(::dup(STDIN_FILENO)) {
        const Fd text(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
        ::dup2(text.get(), STDIN_FILENO);
    }
    ~Input() { ::dup2(former_.get(), STDIN_FILENO); }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

  private:
    Fd former_;
};

TEST_F(RegistryCommands, PasswdSetsAndRemovesLogins) {
    const auto set = [&](const std::string& user, const std::string& password) {
        const Input input(folder_.write("password", password));
        return run({"registry", "passwd", at("logins"), user});
    };
    const Ran first = set("team", "correct horse\n");
    EXPECT_EQ(first.code, ExitCode::ok) << first.err;
    EXPECT_THAT(first.out + first.err, Not(HasSubstr("horse")));
    EXPECT_THAT(read_file(at("logins")), AllOf(HasSubstr("team:$2b$"), Not(HasSubstr("horse"))));
    struct stat info{};
    ASSERT_EQ(::stat(at("logins").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0640u);
    ASSERT_EQ(::chmod(at("logins").c_str(), 0604), 0);
    const bool can_give = ::chown(at("logins").c_str(), 12345, 54321) == 0;
    registry::Logins logins(at("logins"));
    EXPECT_TRUE(logins.accepts(basic("team:correct horse")));
    EXPECT_EQ(set("team", "another horse").code, ExitCode::ok);
    ASSERT_EQ(::stat(at("logins").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0604u);  // as someone has set it
    if (can_give) {
        EXPECT_EQ(info.st_uid, 12345u);
        EXPECT_EQ(info.st_gid, 54321u);
    }
    EXPECT_FALSE(logins.accepts(basic("team:correct horse")));
    EXPECT_TRUE(logins.accepts(basic("team:another horse")));
    EXPECT_EQ(run({"registry", "passwd", at("logins"), "team", "--remove"}).code, ExitCode::ok);
    EXPECT_FALSE(logins.accepts(basic("team:another horse")));
    for (const char* bad : {"", "short", "\n\n"}) EXPECT_EQ(set("team", bad).code, ExitCode::usage);
    EXPECT_EQ(set("team", std::string(73, 'x')).code, ExitCode::usage);
    EXPECT_EQ(set("te:am", "correct horse").code, ExitCode::usage);
    EXPECT_EQ(set("te\nam", "correct horse").code, ExitCode::usage);
    EXPECT_EQ(set("#team", "correct horse").code, ExitCode::usage);
    EXPECT_EQ(run({"registry", "passwd", at("logins")}).code, ExitCode::usage);
}

TEST_F(RegistryCommands, UnitHasAbsolutePathsAndTheOptionsGiven) {
    const Ran unit =
        run({"registry", "unit", at("x.bundle"), "--listen", ":5000", "--store", at("store"),
             "--name", "registry.lan", "--anyone-reads", "--login", at("logins"), "--user", "u"});
    EXPECT_EQ(unit.code, ExitCode::ok) << unit.err;
    EXPECT_THAT(unit.out,
                AllOf(HasSubstr("registry serve \"" + at("x.bundle") + "\""),
                      HasSubstr("\"--listen\" \":5000\""), HasSubstr("\"--anyone-reads\""),
                      HasSubstr("User=u\n"), HasSubstr("\"--name\" \"registry.lan\""),
                      HasSubstr("ReadWritePaths=\"-" + at("store") + "\""),
                      HasSubstr("\"--tls-dir\" \"/var/lib/slipway-registry/tls\""),
                      Not(HasSubstr("--state"))));
    EXPECT_THAT(unit.out, HasSubstr("\"--login\" \"" + at("logins") + "\""));
    EXPECT_THAT(unit.out,
                HasSubstr("ExecStart=\"" + fs::read_symlink("/proc/self/exe").string() + "\""));
    EXPECT_THAT(run({"registry", "unit", "x.bundle"}).out,
                HasSubstr("\"" + fs::current_path().string() + "/x.bundle\""));
}

TEST_F(RegistryCommands, UnitWritesOutsideOfItsFolderOnlyAsANamedUser) {
    EXPECT_EQ(run({"registry", "unit", "--store", at("store")}).code, ExitCode::usage);
    EXPECT_EQ(run({"registry", "unit", "--store", "/var/lib/slipway-registry/../x"}).code,
              ExitCode::usage);
    EXPECT_EQ(run({"registry", "unit", "--store", "/var/lib/slipway-registry/store"}).code,
              ExitCode::ok);
    EXPECT_EQ(run({"registry", "unit", "--store", "/var/lib/slipway-registry"}).code, ExitCode::ok);
    EXPECT_EQ(run({"registry", "unit", "--store", "/var/lib/slipway-registry-2"}).code,
              ExitCode::usage);
    EXPECT_EQ(run({"registry", "unit", at("x.bundle"), "--access-log", at("log")}).code,
              ExitCode::usage);
    EXPECT_THAT(
        run({"registry", "unit", at("x.bundle"), "--access-log", at("logs/r"), "--user", "u"}).out,
        HasSubstr("ReadWritePaths=\"-" + at("logs") + "\""));
    EXPECT_EQ(run({"registry", "unit", at("x.bundle"), "--access-log", "-"}).code, ExitCode::ok);
}

TEST_F(RegistryCommands, UnitCanReadItsFilesAndListenWhereItIsTold) {
    const Ran unit = run({"registry", "unit", at("x.bundle"), "--listen", ":443", "--login",
                          at("logins"), "--tls-cert", at("c"), "--tls-key", at("k")});
    EXPECT_THAT(unit.out, AllOf(HasSubstr("LoadCredential=login:" + at("logins") + "\n"),
                                HasSubstr("LoadCredential=tls-key:" + at("k") + "\n"),
                                HasSubstr("AmbientCapabilities=CAP_NET_BIND_SERVICE\n")));
    EXPECT_THAT(run({"registry", "unit", at("x.bundle"), "--listen", ":5000"}).out,
                HasSubstr("AmbientCapabilities=\n"));
}

}  // namespace
}  // namespace slipway::cli
