#include "agent/process.hpp"

#include "agent/testing/fake_request.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <poll.h>
#include <unistd.h>

namespace slipway::agent {
namespace {

class ProcessTest : public ::testing::Test {
  protected:
    void SetUp() override { std::filesystem::create_directory(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // Says that it runs, waits for a word to go on, and says that it has ended.
    std::vector<std::string> slow_tool() const {
        return {"sh", "-c",
                "cd " + folder_ +
                    "; touch began; while ! test -e go; do sleep 0.01; done; touch ended"};
    }
    bool there(const std::string& name) const {
        return std::filesystem::exists(folder_ + "/" + name);
    }
    void wait_for(const std::string& name) const {
        while (!there(name)) ::poll(nullptr, 0, 5);
    }

    const std::string folder_ = ::testing::TempDir() + "process_test." + std::to_string(::getpid());
    FakeRequest request_;
};

TEST_F(ProcessTest, ToolThatNobodyWaitsForAnyMoreIsLetEnd) {
    std::jthread nobody([this] {
        wait_for("began");
        request_.cancel();
        std::ofstream(folder_ + "/go") << "go";
    });
    EXPECT_THROW(run_tool(slow_tool(), request_), Failed);
    EXPECT_TRUE(there("ended"));
}

TEST_F(ProcessTest, CommandThatNobodyWaitsForAnyMoreIsEnded) {
    std::jthread nobody([this] {
        wait_for("began");
        request_.cancel();
    });
    EXPECT_THROW(execute({.argv = slow_tool()}, request_), Failed);
    EXPECT_FALSE(there("ended"));
}

}  // namespace
}  // namespace slipway::agent
