#include "base/error.hpp"
#include "base/files.hpp"
#include "base/testing/source_tree.hpp"
#include "config/yaml_json.hpp"
#include "convert/testing/lost_leaves.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace slipway::convert {

namespace {

json::value sample(const std::string& name) {
    const std::string text = read_file(testing::source_file("src/convert/testdata/" + name));
    config::Findings findings;
    const std::string first = text.substr(0, text.find("\n---"));
    return config::to_json(config::parse_yaml({name, first}, 0, findings).value());
}

// Values of every kind, likely where they do not belong.
json::value any_value() {
    switch (*rc::gen::inRange(0, 9)) {
        case 0: return nullptr;
        case 1: return *rc::gen::arbitrary<bool>();
        case 2: return *rc::gen::inRange(-3, 70000);
        case 3: return json::object{};
        case 4: return json::array{};
        case 5: return json::object{{"odd", json::array{1, json::object{{"x", ""}}}}};
        case 6: return json::array{"a=b", "node[1:3]", "", 7, json::object{{"name", "a"}}};
        case 7:
            return json::value(*rc::gen::element<std::string>("192.0.2.11", "cp1", "c2VjcmV0", "",
                                                              "a;b;;", "10.0.0.0/8,fd00::/8",
                                                              "../x", "true"));
        default: return json::value(*rc::gen::container<std::string>(rc::gen::inRange(' ', '~')));
    }
}

// Changes the value at some place.
void change(json::value& value) {
    const bool here = *rc::gen::inRange(0, 5) == 0;
    if (!here && value.is_object() && !value.get_object().empty()) {
        auto& members = value.get_object();
        const auto at = *rc::gen::inRange<std::size_t>(0, members.size());
        return change((members.begin() + static_cast<std::ptrdiff_t>(at))->value());
    }
    if (!here && value.is_array() && !value.get_array().empty())
        return change(
            value.get_array()[*rc::gen::inRange<std::size_t>(0, value.get_array().size())]);
    if (value.is_object() && *rc::gen::arbitrary<bool>()) {
        value.get_object()[*rc::gen::element<std::string>("extra", "a.b", "-x", "name")] =
            any_value();
    } else {
        value = any_value();
    }
}

RC_GTEST_PROP(Convert, LosesNoLeafOfAnyDocument, ()) {
    const auto name = *rc::gen::element<std::string>(
        "tke-single.json", "tke-ha.json", "tke-third-party.json", "tke-state.json",
        "kubekey-ha.yaml", "kubekey-external-etcd.yaml", "kubekey-v4.yaml");
    json::value document = sample(name);
    const int changes = *rc::gen::inRange(1, 12);
    for (int i = 0; i < changes; ++i) change(document);
    const std::string text = json::serialize(document);
    Conversion conversion;
    try {
        conversion = convert({"any", text});
    } catch (const UserError& error) {
        RC_ASSERT(error.id() == "CONVERT-UNKNOWN" || error.id() == "CONVERT-UNREADABLE");
        return;
    }
    RC_LOG() << text;
    RC_ASSERT(lost_leaves(conversion) == std::vector<std::string>{});
    RC_ASSERT(!conversion.valid || config::load_spec({{"new", conversion.yaml}}).ok());
}

}  // namespace

}  // namespace slipway::convert
