#include "server/passwords.hpp"

#include "base/files.hpp"
#include "base/json.hpp"
#include "oci/testing/temp_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace slipway::server {
namespace {

class PasswordsTest : public ::testing::Test {
  protected:
    std::filesystem::path file() const { return folder_ / "users.json"; }
    json::object admin() const {
        return json::parse(read_file(file())).as_object().at("admin").as_object();
    }
    void keep(int n, const char* hash) const {
        atomic_write(file(),
                     fmt::format(R"({{"version":1,"admin":{{"n":{},"r":8,"p":1,)"
                                 R"("salt":"SodiumChloride","scrypt":"{}"}}}})",
                                 n, hash),
                     0600);
    }

    oci::testing::TempFolder folder_;
};

TEST_F(PasswordsTest, AreKeptAsScryptThatCostsAGuess32MiB) {
    Passwords(folder_.path()).set(Secret("correct horse battery"));
    const json::object kept = admin();
    const auto n = int_at(kept, "n"), r = int_at(kept, "r"), p = int_at(kept, "p");
    EXPECT_GE(n, 1 << 15);
    EXPECT_GE(r, 8);
    EXPECT_GE(p, 1);
    EXPECT_GE(128 * n * r, 32 << 20) << "bytes of memory";
    EXPECT_EQ(string_at(kept, "scrypt").size(), 64u) << "256 bits";
    EXPECT_GE(string_at(kept, "salt").size(), 32u) << "128 bits";
    EXPECT_EQ(read_file(file()).find("correct horse"), std::string::npos);
    EXPECT_EQ(std::filesystem::status(file()).permissions(), std::filesystem::perms(0600));
    EXPECT_TRUE(Passwords(folder_.path()).matches("correct horse battery"));
    EXPECT_FALSE(Passwords(folder_.path()).matches("correct horse batterz"));
}

TEST_F(PasswordsTest, SaltIsAnotherEveryTime) {
    Passwords passwords(folder_.path());
    passwords.set(Secret("correct horse battery"));
    const json::object first = admin();
    passwords.set(Secret("correct horse battery"));
    EXPECT_NE(string_at(admin(), "salt"), string_at(first, "salt"));
    EXPECT_NE(string_at(admin(), "scrypt"), string_at(first, "scrypt"));
}

// RFC 7914, section 12: a hash of less, or of something else, is another.
TEST_F(PasswordsTest, TheHashIsScryptAtTheCostThatIsKept) {
    const char* hash = "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2";
    keep(16384, hash);
    EXPECT_TRUE(Passwords(folder_.path()).matches("pleaseletmein"));
    keep(8192, hash);
    EXPECT_FALSE(Passwords(folder_.path()).matches("pleaseletmein"));
}

}  // namespace
}  // namespace slipway::server
