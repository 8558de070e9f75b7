#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kept_file.hpp"
#include "cluster/resources/kinds.hpp"

namespace slipway::cluster {

namespace {

class LinkOnce : public Resource {
  public:
    LinkOnce(std::string path, std::string to)
        : Resource("first link", std::move(path)), to_(std::move(to)) {}

    json::value desired() const override { return json::object{{"first", to_}}; }
    json::value read(Target& target) const override { return read_info(target, name()); }
    bool differs(const json::value& now) const override { return is_absent(now); }
    engine::Change change(const json::value&) const override {
        return {"create", "link " + name(), "-> " + to_};
    }
    void apply(Target& target) const override {
        target.host.write_file(name(), {.content = "", .link_target = to_}, target.call);
    }
    void restore(Target& target, const json::value& before) const override {
        if (is_absent(before)) remove_with_parents(target, name(), before);
    }

  private:
    std::string to_;
};

}  // namespace

ResourcePtr link_once(std::string path, std::string to) {
    return std::make_shared<LinkOnce>(std::move(path), std::move(to));
}

}  // namespace slipway::cluster
