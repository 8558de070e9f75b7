#include "base/text.hpp"
#include "cluster/resources/kinds.hpp"

namespace slipway::cluster {

namespace {

// The kernel separates several values by tabs, people by spaces: "4096 87380 6291456".
std::string normal(std::string_view value) {
    std::string out;
    for (const char c : trim(value)) {
        const bool space = c == ' ' || c == '\t';
        if (!space) {
            out += c;
        } else if (out.back() != ' ') {
            out += ' ';
        }
    }
    return out;
}

class Sysctl : public Resource {
  public:
    Sysctl(std::string key, std::string_view value)
        : Resource("sysctl", std::move(key)), value_(normal(value)) {}

    json::value desired() const override { return json::value(value_); }

    json::value read(Target& target) const override {
        const auto now = target.host.sysctl(name(), target.call);
        return now ? json::value(*now) : json::value(nullptr);
    }

    bool differs(const json::value& now) const override {
        return !now.is_string() || normal(now.as_string()) != value_;
    }

    void apply(Target& target) const override {
        target.host.set_sysctl(name(), value_, target.call);
    }

    void restore(Target& target, const json::value& before) const override {
        if (!before.is_string()) return;  // came with a module and goes with it
        target.host.set_sysctl(name(), std::string(std::string_view(before.as_string())),
                               target.call);
    }

  private:
    std::string value_;
};

}  // namespace

ResourcePtr sysctl(std::string key, std::string value) {
    return std::make_shared<Sysctl>(std::move(key), value);
}

}  // namespace slipway::cluster
