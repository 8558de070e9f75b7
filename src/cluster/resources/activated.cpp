#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

json::array to_array(const std::vector<std::string>& items) {
    json::array out;
    for (const std::string& item : items) out.emplace_back(item);
    return out;
}

// Three forms of one place: as wanted, wanted but not read yet, and empty (what undo lets the
// program read before the place goes away).
class Activated : public Resource {
  public:
    Activated(std::string kind, ResourcePtr wanted, ResourcePtr unread, ResourcePtr empty,
              Activation activation)
        : Resource(std::move(kind), wanted->name()),
          wanted_(std::move(wanted)),
          unread_(std::move(unread)),
          empty_(std::move(empty)),
          activation_(std::move(activation)) {}

    json::object identity() const override {
        json::object out = Resource::identity();
        out["unit"] = activation_.unit;
        out["command"] = to_array(activation_.command);
        out["undo_command"] = to_array(activation_.undo_command);
        return out;
    }

    json::value desired() const override { return wanted_->desired(); }
    json::value read(Target& target) const override { return wanted_->read(target); }
    bool differs(const json::value& now) const override { return wanted_->differs(now); }
    engine::Change change(const json::value& now) const override { return wanted_->change(now); }

    void apply(Target& target) const override {
        if (!activation_.check.empty()) check_draft(target);
        unread_->apply(target);
        activate(target, activation_.command);
        wanted_->apply(target);
    }

    // Emptied and activated first: were the place removed before the program read it again, a crash
    // in between would leave nothing for the next undo to notice.
    void restore(Target& target, const json::value& before) const override {
        empty_->apply(target);
        activate(target, activation_.undo_command);
        wanted_->restore(target, before);
        const bool had_content = !is_absent(before) && !no_block(before);
        if (had_content) activate(target, activation_.undo_command);
    }

  private:
    static bool no_block(const json::value& before) {
        const json::value* lines = before.as_object().if_contains("lines");
        return lines && lines->is_null();
    }

    void check_draft(Target& target) const {
        const std::string path = name() + ".slipway-draft";
        std::vector<std::string> command = activation_.check;
        std::ranges::replace(command, "{}", path);
        target.host.write_file(path, file_from_json(wanted_->desired()), target.call);
        try {
            run_checked(target, command);
        } catch (...) {
            target.host.remove_file(path, target.call);
            throw;
        }
        target.host.remove_file(path, target.call);
    }

    void activate(Target& target, const std::vector<std::string>& command) const {
        const bool runs =
            !activation_.unit.empty() && target.host.unit(activation_.unit, target.call).active;
        // Of a unit that does not run, systemd reads the file when it is in its final form.
        const bool later = is_unit_file(name()) && !activation_.unit.empty() && !runs;
        if (!command.empty() && !later) {
            if (activation_.may_fail)
                target.host.run({.argv = command}, target.call);
            else
                run_checked(target, command);
        }
        if (runs) target.host.restart_unit(activation_.unit, target.call);
    }

    ResourcePtr wanted_;
    ResourcePtr unread_;
    ResourcePtr empty_;
    Activation activation_;
};

constexpr std::string_view kUnread = "# Slipway: not read yet\n";

}  // namespace

ResourcePtr activated_file(std::string path, std::string content, Activation activation) {
    // firewalld's files are XML: there a comment looks different, and an empty file is an error.
    const bool xml = path.ends_with(".xml");
    const std::string unread = xml ? "<!-- Slipway: not read yet -->\n" : std::string(kUnread);
    const std::string empty = xml ? "<service/>\n" : std::string(kUnread);
    return std::make_shared<Activated>("configuration", file(path, {.content = content}),
                                       untold_file(path, {.content = content + unread}),
                                       untold_file(path, {.content = empty}),
                                       std::move(activation));
}

ResourcePtr activated_block(std::string path, std::string lines, Activation activation) {
    return std::make_shared<Activated>(
        "configuration in", text_block(path, lines), text_block(path, lines + std::string(kUnread)),
        text_block(path, std::string(kUnread)), std::move(activation));
}

}  // namespace slipway::cluster
