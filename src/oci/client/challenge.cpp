#include "oci/client/challenge.hpp"

#include <algorithm>
#include <cctype>

namespace slipway::oci {

namespace {

constexpr std::size_t kMaxField = 16u << 10;
constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

class Scanner {
  public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }
    bool take(char wanted) {
        if (!rest_.starts_with(wanted)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void skip(std::string_view marks) {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(marks), rest_.size()));
    }
    void skip_one() { rest_.remove_prefix(1); }
    std::string_view token() {
        std::size_t n = 0;
        while (n < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[n])) != 0 ||
                                    kTokenMarks.find(rest_[n]) != std::string_view::npos)) {
            ++n;
        }
        const std::string_view out = rest_.substr(0, n);
        rest_.remove_prefix(n);
        return out;
    }
    // "text with \" in it" without its quotes.
    std::string quoted() {
        std::string out;
        while (!rest_.empty() && !take('"')) {
            if (rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
            out += rest_.front();
            rest_.remove_prefix(1);
        }
        return out;
    }

  private:
    std::string_view rest_;
};

}  // namespace

std::vector<Challenge> parse_challenges(std::string_view field) {
    std::vector<Challenge> out;
    Scanner scanner(field.substr(0, kMaxField));
    while (!scanner.at_end()) {
        scanner.skip(" \t,");
        const std::string_view word = scanner.token();
        if (word.empty()) {
            if (!scanner.at_end()) scanner.skip_one();
            continue;
        }
        // A name that a "=" follows is a parameter of the last scheme; any other begins a new one.
        scanner.skip(" \t");
        if (!scanner.take('=')) {
            out.push_back({.scheme = lower(word)});
            continue;
        }
        scanner.skip(" \t");
        std::string value = scanner.take('"') ? scanner.quoted() : std::string(scanner.token());
        if (!out.empty()) out.back().parameters.try_emplace(lower(word), std::move(value));
    }
    return out;
}

}  // namespace slipway::oci
