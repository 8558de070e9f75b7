#include "config/secret_ref.hpp"

#include "base/error.hpp"
#include "base/files.hpp"

#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>
#include <sys/stat.h>

namespace slipway::config {

namespace {

class SecretRefTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = ::testing::TempDir() + "secret-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    SecretRef file(std::string_view content, mode_t mode = 0600) {
        const std::string path = folder_ + "/secret";
        atomic_write(path, content, mode);
        return {.file = path, .env = "", .prompt = false};
    }

    std::string folder_;
};

std::string failure(const std::function<Secret()>& get) {
    try {
        get();
    } catch (const UserError& e) {
        EXPECT_EQ(std::string(e.what()).find("hunter2"), std::string::npos);
        EXPECT_FALSE(e.remedy().empty());
        return e.id();
    }
    return "";
}

TEST_F(SecretRefTest, AFileMayEndInALineBreak) {
    EXPECT_EQ(resolve(file("hunter2\n"), SecretUse::password, "password").reveal(), "hunter2");
    EXPECT_EQ(resolve(file("hunter2\r\n"), SecretUse::password, "password").reveal(), "hunter2");
    EXPECT_EQ(resolve(file("hunter2"), SecretUse::password, "password").reveal(), "hunter2");
    EXPECT_EQ(resolve(file("KEY\n"), SecretUse::key, "key").reveal(), "KEY\n");
    EXPECT_EQ(resolve(file("hunter2", 0400), SecretUse::password, "password").reveal(), "hunter2");
}

TEST_F(SecretRefTest, AFileOthersMayReadIsRefused) {
    for (const mode_t mode : {0640, 0604, 0660, 0644, 0777, 0610}) {
        EXPECT_EQ(failure([&] {
                      return resolve(file("hunter2", mode), SecretUse::password, "password");
                  }),
                  "SECRET-FILE-MODE")
            << mode;
    }
}

TEST_F(SecretRefTest, AFileThatIsNoneIsRefused) {
    const auto from = [](std::string path) {
        return failure([&] {
            return resolve({.file = path, .env = "", .prompt = false}, SecretUse::key, "key");
        });
    };
    EXPECT_EQ(from(folder_ + "/nowhere"), "SECRET-UNREADABLE");
    EXPECT_EQ(from(folder_), "SECRET-UNREADABLE");
    ASSERT_EQ(::mkfifo((folder_ + "/pipe").c_str(), 0600), 0);
    EXPECT_EQ(from(folder_ + "/pipe"), "SECRET-UNREADABLE") << "and it does not wait for a writer";
    EXPECT_EQ(failure([&] { return resolve(file(""), SecretUse::password, "p"); }), "SECRET-EMPTY");
    EXPECT_EQ(failure([&] { return resolve(file("\n"), SecretUse::password, "p"); }),
              "SECRET-EMPTY");
    EXPECT_EQ(
        failure([&] { return resolve(file(std::string(100'000, 'x')), SecretUse::key, "k"); }),
        "SECRET-TOO-LARGE");
}

TEST_F(SecretRefTest, TheEnvironmentMustHaveIt) {
    const SecretRef ref{.file = "", .env = "SLIPWAY_TEST_SECRET", .prompt = false};
    ::setenv("SLIPWAY_TEST_SECRET", "hunter2", 1);
    EXPECT_EQ(resolve(ref, SecretUse::password, "password").reveal(), "hunter2");
    ::setenv("SLIPWAY_TEST_SECRET", "", 1);
    EXPECT_EQ(failure([&] { return resolve(ref, SecretUse::password, "password"); }),
              "SECRET-ENV-UNSET");
    ::unsetenv("SLIPWAY_TEST_SECRET");
    EXPECT_EQ(failure([&] { return resolve(ref, SecretUse::password, "password"); }),
              "SECRET-ENV-UNSET");
}

TEST_F(SecretRefTest, APromptNeedsSomeoneToAsk) {
    const SecretRef ref{.file = "", .env = "", .prompt = true};
    EXPECT_EQ(failure([&] { return resolve(ref, SecretUse::password, "password of w1"); }),
              "SECRET-NO-TERMINAL");
    std::string asked;
    const Secret secret =
        resolve(ref, SecretUse::password, "password of w1", [&](std::string_view question) {
            asked = question;
            return Secret("hunter2");
        });
    EXPECT_EQ(secret.reveal(), "hunter2");
    EXPECT_EQ(asked, "password of w1");
}

TEST_F(SecretRefTest, NoReferenceIsNoSecret) {
    EXPECT_TRUE(resolve({}, SecretUse::password, "password").empty());
}

}  // namespace

}  // namespace slipway::config
