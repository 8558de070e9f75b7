#include "config/render.hpp"

#include "base/text.hpp"
#include "config/problem.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::config {

namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";
constexpr std::size_t kMostFaults = 50;

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 128 &&
           text.find_first_not_of(
               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
               std::string_view::npos;
}

class Renderer {
  public:
    Renderer(std::string_view text, const StringMap& values) : text_(text), values_(values) {}

    Rendered run() {
        for (std::size_t open = 0; (open = text_.find(kOpen, at_)) != std::string_view::npos;) {
            copy_to(open);
            if (text_.substr(open + kOpen.size()).starts_with(kOpen)) {
                out_.text += kOpen;
                at_ = open + 2 * kOpen.size();
            } else {
                replace(open);
            }
        }
        copy_to(text_.size());
        return std::move(out_);
    }

  private:
    void copy_to(std::size_t end) {
        out_.text += text_.substr(at_, end - at_);
        at_ = end;
    }

    void replace(std::size_t open) {
        const std::size_t close = text_.find(kClose, open + kOpen.size());
        // A name stands on one line, so that a forgotten end is noticed where it is missing.
        const std::size_t line_end = text_.find('\n', open);
        if (close == std::string_view::npos || line_end < close) {
            fault(open, "'{{' is not closed on its line", "close it with '}}', or write '{{{{'");
            return copy_to(open + kOpen.size());
        }
        const std::string_view name =
            trim(text_.substr(open + kOpen.size(), close - open - kOpen.size()));
        const auto value = is_name(name) ? values_.find(std::string(name)) : values_.end();
        if (value != values_.end()) {
            out_.text += value->second;
            at_ = close + kClose.size();
            return;
        }
        if (is_name(name)) {
            fault(open, fmt::format("there is no value named {}", shown(name)), todo(name));
        } else {
            fault(open, fmt::format("{} is not the name of a value", shown(name)),
                  "write a name, as in {{ host.name }}, or '{{{{' for the braces themselves");
        }
        copy_to(close + kClose.size());
    }

    std::string todo(std::string_view name) const {
        std::vector<std::string> names;
        for (const auto& [known, value] : values_) names.push_back(known);
        if (const auto close = close_name(name, names))
            return fmt::format("did you mean {}?", *close);
        if (name.starts_with("host."))
            return "values of a host are for what runs on hosts; leave it out";
        return "add it to hooks.values and write values.NAME, or correct the name";
    }

    void fault(std::size_t where, std::string what, std::string todo) {
        // Counted on from the last one: a text full of mistakes is still read once.
        for (; counted_ < where; ++counted_) {
            if (text_[counted_] != '\n') continue;
            ++line_;
            line_start_ = counted_ + 1;
        }
        if (out_.faults.size() == kMostFaults) return;
        out_.faults.push_back({.line = line_,
                               .column = static_cast<int>(where - line_start_) + 1,
                               .what = std::move(what),
                               .todo = std::move(todo)});
    }

    std::string_view text_;
    const StringMap& values_;
    std::size_t at_ = 0;
    std::size_t counted_ = 0;
    std::size_t line_start_ = 0;
    int line_ = 1;
    Rendered out_;
};

}  // namespace

Rendered render(std::string_view text, const StringMap& values) {
    return Renderer(text, values).run();
}

StringMap template_values(const Spec& spec, const Host* host) {
    StringMap out;
    const Endpoint& endpoint = spec.kubernetes.endpoint;
    const std::vector<const Host*> control_planes = spec.with_role(Role::control_plane);
    out["cluster.name"] = spec.name;
    out["kubernetes.version"] = spec.kubernetes.version;
    out["endpoint.domain"] = endpoint.domain;
    out["endpoint.address"] = !endpoint.address.empty() ? endpoint.address
                              : control_planes.empty()  ? ""
                                                        : control_planes.front()->node_address();
    out["endpoint.port"] = fmt::format("{}", endpoint.port);
    for (const auto& [name, value] : spec.hooks.values) out["values." + name] = value;
    if (host == nullptr) return out;
    std::vector<std::string> roles;
    for (const Role role : host->roles) roles.push_back(to_string(role));
    std::ranges::sort(roles);
    out["host.name"] = host->name;
    out["host.address"] = host->address;
    out["host.internalAddress"] = host->node_address();
    out["host.roles"] = join(roles, ",");
    return out;
}

}  // namespace slipway::config
