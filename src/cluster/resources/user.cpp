#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kinds.hpp"

namespace slipway::cluster {

namespace {

class User : public Resource {
  public:
    User(std::string name, remote::UserState wanted)
        : Resource("user", std::move(name)), wanted_(std::move(wanted)) {}

    json::value desired() const override {
        return json::object{{"home", wanted_.home}, {"shell", wanted_.shell}, {"system", wanted_.system}};
    }

    // {"home_state":…} when there is no such account: making one may make its home.
    json::value read(Target& target) const override {
        if (const auto now = target.host.user(name(), target.call)) {
            return json::object{{"home", now->home}, {"shell", now->shell}, {"system", now->system}};
        }
        json::object absent = {{"absent", true}, {"home", wanted_.home}, {"home_state", nullptr}};
        if (!wanted_.home.empty()) absent["home_state"] = read_path(target, wanted_.home);
        return absent;
    }

    bool differs(const json::value& now) const override { return is_absent(now); }

    engine::Change change(const json::value&) const override {
        return {"create", describe(), wanted_.system ? "system account" : "account"};
    }

    void apply(Target& target) const override {
        target.host.add_user(name(), wanted_, target.call);
    }

    void restore(Target& target, const json::value& before) const override {
        if (!is_absent(before)) return;
        target.host.remove_user(name(), target.call);
        const json::value& home_state = before.at("home_state");
        // A home with something in it stays: it is the user's.
        if (is_absent(home_state)) {
            restore_path(target, string_at(before.as_object(), "home"), home_state);
        }
    }

  private:
    remote::UserState wanted_;
};

}  // namespace

ResourcePtr user(std::string name, remote::UserState wanted) {
    return std::make_shared<User>(std::move(name), std::move(wanted));
}

}  // namespace slipway::cluster
