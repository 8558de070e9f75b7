#include "config/explain.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "config/fields.hpp"
#include "config/load.hpp"
#include "config/schema.hpp"

#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::config {

namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Visits every field of the spec with its path and the type it belongs to.
void each_field(
    const TypeInfo& type, const std::string& path,
    const std::function<void(const std::string&, const Field&, const TypeInfo&)>& visit) {
    if (type.item != nullptr) return each_field(type.item(), path, visit);
    for (const Field& field : type.fields) {
        const std::string inner = field.is_envelope ? path
                                  : path.empty()    ? field.key
                                                    : path + "." + field.key;
        if (!field.is_envelope) visit(inner, field, type);
        each_field(field.type(), inner, visit);
    }
}

TEST(Explain, EveryFieldHasHelpThatIsASentence) {
    std::size_t fields = 0;
    each_field(
        document_type(), "", [&](const std::string& path, const Field& field, const TypeInfo&) {
            ++fields;
            EXPECT_GT(field.help.size(), 4u) << path;
            EXPECT_EQ(field.help.back(), '.') << path;
            EXPECT_THAT(explain(path), HasSubstr(field.help)) << path;
            EXPECT_TRUE(field.type().kind == Kind::object || !field.example_text.empty()) << path;
        });
    EXPECT_GT(fields, 150u);
    EXPECT_EQ(all_paths().size(), fields);
}

TEST(Explain, EveryDefaultIsVisible) {
    each_field(document_type(), "",
               [](const std::string& path, const Field& field, const TypeInfo& type) {
                   const FieldHelp help = explain_field(path);
                   const json::value value =
                       to_json(field.type(), field.in(type.prototype), JsonStyle::plain);
                   if (field.is_required) {
                       EXPECT_EQ(help.default_text, "required") << path;
                   } else if (field.type().kind == Kind::object) {
                       EXPECT_TRUE(!help.children.empty()) << path;
                   } else if (const std::string text = json::serialize(value); text == "\"\"") {
                       EXPECT_THAT(help.default_text, HasSubstr("none: "))
                           << path << ": say what leaving it out means";
                   } else if (text != "[]" && text != "{}") {
                       EXPECT_EQ(help.default_text, text) << path;
                       EXPECT_THAT(explain(path), HasSubstr("default  " + text)) << path;
                   }
               });
}

std::string without_indexes(std::string path) {
    for (std::size_t at = path.find('['); at != std::string::npos; at = path.find('[')) {
        path.erase(at, path.find(']', at) - at + 1);
    }
    return path;
}

// A document that sets nothing but `path`, to `value`: hosts.port -> {spec: {hosts: [{port: 22}]}}.
std::string document_with(const std::string& path, std::string value) {
    std::vector<std::string> parts = split(path, '.');
    for (std::size_t i = parts.size(); i-- > 0;) {
        value = "{" + parts[i] + ": " + value + "}";
        const std::string parent = join(std::span(parts).first(i), ".");
        if (i > 0 && explain_field(parent).type.starts_with("list")) value = "[" + value + "]";
    }
    return document_type().find(parts[0]) == nullptr ? "{spec: " + value + "}" : value;
}

// The examples in the help are decoded as the field they belong to, so they cannot go stale.
TEST(Explain, EveryExampleIsAValueTheFieldAccepts) {
    each_field(document_type(), "",
               [](const std::string& path, const Field& field, const TypeInfo&) {
                   if (field.example_text.empty() || !field.is_built) return;
                   const std::string text = document_with(path, field.example_text);
                   for (const Problem& p : load_spec({{"e.yaml", text}}).problems) {
                       // Whether other hosts exist is beyond a single field.
                       const bool alone =
                           p.severity == Severity::error && p.id != "SPEC-UNKNOWN-REFERENCE";
                       const bool about_it =
                           without_indexes(p.path).starts_with(path) || p.id == "SPEC-SYNTAX";
                       EXPECT_FALSE(alone && about_it) << text << "\n" << p.line();
                   }
               });
}

TEST(Explain, TellsTypeDefaultExampleAndValues) {
    EXPECT_EQ(explain("kubernetes.networks.pods"),
              "kubernetes.networks.pods\n"
              "  Networks of the pods: one, or one IPv4 and one IPv6. The first is primary.\n\n"
              "  type     list of texts (network, as 10.244.0.0/16)\n"
              "  default  [\"10.244.0.0/16\"]\n"
              "  example  pods: [10.244.0.0/16, fd00:10:244::/56]\n");
    EXPECT_THAT(explain("hosts.roles"),
                HasSubstr("control-plane        Runs the Kubernetes control plane."));
    EXPECT_THAT(explain("hosts.arch"), HasSubstr("default  none: read from the machine"));
    EXPECT_THAT(explain("registry.address"), HasSubstr("a spec that sets it is refused"));
    EXPECT_THAT(explain("components.chart"), HasSubstr("default  none: from manifests"));
}

TEST(Explain, AcceptsPathsAsProblemsShowThem) {
    EXPECT_EQ(explain("hosts[2].roles[0]"), explain("hosts.roles"));
    EXPECT_EQ(explain("hosts[].roles"), explain("hosts.roles"));
    EXPECT_EQ(explain("spec.hosts.roles"), explain("hosts.roles"));
    EXPECT_THAT(explain(""), HasSubstr("networkPlugin"));
    EXPECT_THAT(explain("metadata.name"), HasSubstr("required"));
}

TEST(Explain, AnUnknownPathNamesTheNearest) {
    const auto remedy = [](std::string_view path) -> std::string {
        try {
            explain(path);
        } catch (const UserError& e) {
            EXPECT_EQ(e.id(), "EXPLAIN-UNKNOWN-PATH");
            return e.remedy();
        }
        return "found";
    };
    EXPECT_EQ(remedy("kubernetes.network"), "did you mean networks?");
    EXPECT_EQ(remedy("host"), "did you mean hosts?");
    EXPECT_EQ(remedy("hosts.name.first"), "slipway explain hosts.name");
    EXPECT_THAT(remedy("."), HasSubstr("use one of: apiVersion"));
    EXPECT_THAT(remedy("zzzzzzzz"), HasSubstr("use one of: "));
}

TEST(Explain, JsonHasTheSameFacts) {
    const json::object object = to_json(explain_field("etcd"));
    EXPECT_EQ(string_at(object, "path"), "etcd");
    EXPECT_EQ(string_at(object.at("children").at(0).as_object(), "default"), "\"stacked\"");
}

TEST(Schema, CoversEveryFieldAndForbidsOthers) {
    const json::object schema = json_schema();
    EXPECT_EQ(string_at(schema, "$schema"), "https://json-schema.org/draft/2020-12/schema");
    const std::function<void(const json::object&, const TypeInfo&)> compare =
        [&](const json::object& s, const TypeInfo& type) {
            if (s.contains("not")) return;
            if (type.kind == Kind::list) return compare(s.at("items").as_object(), type.item());
            if (type.kind != Kind::object) return;
            EXPECT_EQ(s.at("additionalProperties"), json::value(false));
            const json::object& properties = s.at("properties").as_object();
            EXPECT_EQ(properties.size(), type.fields.size());
            for (const Field& field : type.fields) {
                const json::object& property = properties.at(field.key).as_object();
                EXPECT_THAT(string_at(property, "description"), HasSubstr(field.help));
                EXPECT_EQ(property.contains("not"), !field.is_built) << field.key;
                compare(property, field.type());
            }
        };
    compare(schema, document_type());
}

TEST(Schema, CarriesDefaultsRangesEnumsAndPatterns) {
    const json::object schema = json_schema();
    const auto at = [&](std::string_view pointer) {
        return schema.at("properties").at("spec").at("properties").at_pointer(pointer);
    };
    EXPECT_EQ(at("/hosts/items/properties/port/default"), json::value(22));
    EXPECT_EQ(at("/hosts/items/properties/port/maximum"), json::value(65535));
    EXPECT_EQ(at("/hosts/items/properties/roles/items/enum/0"), json::value("control-plane"));
    EXPECT_EQ(at("/hosts/items/properties/name/pattern"),
              json::value("^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"));
    EXPECT_EQ(at("/hosts/items/properties/password/maxProperties"), json::value(1));
    EXPECT_EQ(at("/kubernetes/properties/networks/properties/pods/default/0"),
              json::value("10.244.0.0/16"));
    EXPECT_EQ(at("/etcd/properties/mode/enum").as_array().size(), 3u);
    EXPECT_EQ(at("/hosts/items/required"), json::value({"name", "address", "roles"}));
}

}  // namespace

}  // namespace slipway::config
