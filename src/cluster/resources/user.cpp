#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kinds.hpp"

namespace slipway::cluster {

namespace {

class User : public Resource {
  public:
    User(std::string name, remote::UserState wanted)
        : Resource("user", std::move(name)), wanted_(std::move(wanted)) {}

    json::value desired() const override {
        return json::object{
            {"home", wanted_.home}, {"shell", wanted_.shell}, {"system", wanted_.system}};
    }

    // With the state of the home, which belongs to the account of a person.
    json::value read(Target& target) const override {
        json::object state = {{"absent", true}, {"home", wanted_.home}, {"home_state", nullptr}};
        if (const auto now = target.host.user(name(), target.call)) {
            state = {{"home", now->home},
                     {"shell", now->shell},
                     {"system", now->system},
                     {"home_state", nullptr}};
        }
        const std::string home = string_at(state, "home");
        if (wants_home() && home == wanted_.home) state["home_state"] = read_path(target, home);
        return state;
    }

    bool differs(const json::value& now) const override {
        return is_absent(now) || is_absent(now.at("home_state"));
    }

    engine::Change change(const json::value&) const override {
        return {"create", describe(), wanted_.system ? "system account" : "account"};
    }

    void apply(Target& target) const override {
        if (!target.host.user(name(), target.call))
            target.host.add_user(name(), wanted_, target.call);
        if (wants_home() && !target.host.read_file(wanted_.home, target.call)) {
            target.host.write_file(
                wanted_.home,
                {.content = "", .mode = 0700, .owner = name(), .group = name(), .folder = true},
                target.call);
        }
    }

    void restore(Target& target, const json::value& before) const override {
        const json::value& home_state = before.at("home_state");
        // A home with something in it stays: it is the user's.
        if (is_absent(home_state)) {
            restore_path(target, string_at(before.as_object(), "home"), home_state);
        }
        if (is_absent(before)) target.host.remove_user(name(), target.call);
    }

  private:
    bool wants_home() const { return !wanted_.system && !wanted_.home.empty(); }

    remote::UserState wanted_;
};

}  // namespace

ResourcePtr user(std::string name, remote::UserState wanted) {
    return std::make_shared<User>(std::move(name), std::move(wanted));
}

}  // namespace slipway::cluster
