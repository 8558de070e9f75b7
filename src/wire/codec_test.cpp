#include "wire/messages.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace slipway::wire {
namespace {

TEST(CodecTest, RoundTripsEveryKindOfField) {
    rc::check(
        "a message comes back as it was",
        [](const std::vector<std::string>& argv, const std::map<std::string, std::string>& env,
           const std::string& folder, std::int64_t deadline, bool input) {
            const StartJob job{.name = "job", .exec = {argv, env, folder, deadline, input}};
            const auto again = decode<StartJob>(encode(job));
            RC_ASSERT(again.name == job.name);
            RC_ASSERT(again.exec.argv == argv);
            RC_ASSERT(again.exec.env == env);
            RC_ASSERT(again.exec.folder == folder);
            RC_ASSERT(again.exec.deadline_ms == deadline);
            RC_ASSERT(again.exec.has_input == input);
        });
}

TEST(CodecTest, KeepsTheEndsOfTheNumbers) {
    for (const std::int64_t number : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                                      std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
        EXPECT_EQ(decode<ExitStatus>(encode(ExitStatus{.code = number})).code, number);
    }
}

TEST(CodecTest, RefusesEveryTruncation) {
    const std::string whole = encode(WriteFile{.path = "/etc/hosts", .owner = "root", .size = 300});
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_THROW(decode<WriteFile>(whole.substr(0, size)), ProtocolError) << size;
}

TEST(CodecTest, RefusesBytesLeftOver) {
    EXPECT_THROW(decode<Text>(encode(Text{"x"}) + "y"), ProtocolError);
}

TEST(CodecTest, BelievesNoLengthBeyondTheMessage) {
    EXPECT_THROW(decode<Text>(std::string("\xff\xff\xff\xff\x0f", 5)), ProtocolError);
    EXPECT_THROW(decode<Texts>(std::string("\xff\xff\xff\xff\x0f", 5)), ProtocolError);
    EXPECT_THROW(decode<Map>(std::string("\xff\xff\xff\xff\x0f", 5)), ProtocolError);
}

TEST(CodecTest, RefusesNumbersThatDoNotFit) {
    Encoder encoder;
    std::uint64_t large = 1ULL << 40;
    encoder(large);
    EXPECT_THROW(decode<Hello>(encoder.take()), ProtocolError);
}

}  // namespace
}  // namespace slipway::wire
