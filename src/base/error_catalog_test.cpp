#include "base/error_catalog.hpp"

#include "base/files.hpp"
#include "base/testing/document.hpp"
#include "base/testing/source_tree.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace slipway {
namespace {

namespace fs = std::filesystem;

// Upper-case literals with a dash that are no error ids.
const std::set<std::string, std::less<>> kOtherWords = {
    // Checks, which have a table of their own.
    "HOST-KEY", "HOST-LOGIN", "HOST-REQUIRETTY", "HOST-ROOT",
    "UTF-8",    "SHA-256",    "SHA-512",         "AES-256-GCM"};

bool looks_like_an_id(std::string_view word) {
    const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    return word.size() > 4 && upper(word[0]) && upper(word[1]) &&
           word.find('-') != std::string_view::npos &&
           upper(word.back()) + (word.back() >= '0' && word.back() <= '9') > 0 &&
           std::ranges::all_of(
               word, [&](char c) { return upper(c) || c == '-' || (c >= '0' && c <= '9'); }) &&
           !kOtherWords.contains(word);
}

bool is_program_source(const fs::path& file) {
    const std::string name = file.filename().string();
    return (file.extension() == ".cpp" || file.extension() == ".hpp") &&
           !name.ends_with("_test.cpp") && !name.ends_with("_fuzz.cpp") &&
           !name.starts_with("error_catalog") &&
           // Checks have a table and a page of their own; ids of errors they name stand elsewhere.
           file.string().find("/cluster/checks/") == std::string::npos &&
           file.string().find("/testing/") == std::string::npos;
}

// Every id written in the program's sources, with the file it stands in.
std::map<std::string, std::string> ids_in_sources() {
    std::map<std::string, std::string> found;
    for (const auto& entry :
         fs::recursive_directory_iterator(::slipway::testing::source_file("src"))) {
        if (!entry.is_regular_file() || !is_program_source(entry.path())) continue;
        for (const std::string& line : split(read_file(entry.path()), '\n')) {
            if (trim(line).starts_with("//")) continue;
            const std::vector<std::string> parts = split(line, '"');
            for (std::size_t i = 1; i < parts.size(); i += 2) {
                if (looks_like_an_id(parts[i])) found[parts[i]] = entry.path().string();
            }
        }
    }
    return found;
}

TEST(ErrorCatalog, HasEveryIdTheProgramUses) {
    const auto used = ids_in_sources();
    EXPECT_GT(used.size(), 5u);
    for (const auto& [id, file] : used) {
        EXPECT_NE(find_error(id), nullptr)
            << id << " (" << file << ") is not in src/base/error_catalog.cpp";
    }
}

TEST(ErrorCatalog, HasNoIdTheProgramDoesNotUse) {
    const auto used = ids_in_sources();
    for (const ErrorEntry& entry : error_catalog()) {
        EXPECT_TRUE(used.contains(std::string(entry.id))) << entry.id << " is used nowhere in src/";
    }
}

TEST(ErrorCatalog, IsSortedAndEveryRowSaysAllThreeThings) {
    EXPECT_TRUE(std::ranges::is_sorted(error_catalog(), std::ranges::less{}, &ErrorEntry::id));
    for (const ErrorEntry& entry : error_catalog()) {
        EXPECT_TRUE(looks_like_an_id(entry.id)) << entry.id;
        EXPECT_FALSE(entry.title.empty() || entry.cause.empty() || entry.remedy.empty())
            << entry.id;
        EXPECT_EQ(find_error(entry.id), &entry) << entry.id << " is there twice";
    }
    EXPECT_EQ(find_error("NO-SUCH-ID"), nullptr);
}

TEST(ErrorCatalog, DocumentFollowsTheTable) {
    std::string page =
        "# Error ids\n\n"
        "Generated from `src/base/error_catalog.cpp` by `make docs`; do not edit.\n\n"
        "Every error carries an id that does not change between versions, so that scripts and "
        "searches may\n"
        "rely on it. `slipway explain ID` prints the same text. Which exit code belongs to which "
        "kind of\n"
        "failure: [exit-codes.md](exit-codes.md). Questions asked before anything is changed have "
        "ids of their own:\n"
        "[checks.md](checks.md).\n";
    for (const ErrorEntry& entry : error_catalog()) {
        page += fmt::format("\n## {}\n\n{}{}\n\n- cause: {}\n- remedy: {}\n", entry.id, entry.title,
                            entry.title.ends_with('?') ? "" : ".", entry.cause, entry.remedy);
    }
    testing::expect_document("docs/errors.md", page);
}

}  // namespace
}  // namespace slipway
