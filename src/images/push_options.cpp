#include "images/push_options.hpp"

#include "base/json.hpp"

namespace slipway::images {

namespace {

json::object json_of(const RegistryAccess& access) {
    return {{"caFile", access.ca_file}, {"plainHttp", access.plain_http}, {"user", access.user}};
}

RegistryAccess access_at(const json::object& object, std::string_view key) {
    const json::value* found = object.if_contains(key);
    if (found == nullptr || !found->is_object()) return {};
    const json::object& fields = found->as_object();
    return {string_at(fields, "caFile"), bool_at(fields, "plainHttp"), string_at(fields, "user")};
}

}  // namespace

std::string PushOptions::to_json() const {
    return json::serialize(json::object{{"source", source},
                                        {"allTags", all_tags},
                                        {"allKinds", all_kinds},
                                        {"only", json::array(only.begin(), only.end())},
                                        {"registry", registry},
                                        {"prefix", prefix},
                                        {"keepHost", keep_host},
                                        {"keepDigest", keep_digest},
                                        {"exactly", exactly},
                                        {"parallel", parallel},
                                        {"bytesPerSecond", bytes_per_second},
                                        {"to", json_of(to)},
                                        {"from", json_of(from)}});
}

PushOptions PushOptions::from_json(const std::string& text) {
    const json::value value = parse_json(text, "the options of a push");
    if (!value.is_object()) return {};
    const json::object& object = value.as_object();
    PushOptions out{.source = string_at(object, "source"),
                    .all_tags = bool_at(object, "allTags"),
                    .all_kinds = bool_at(object, "allKinds"),
                    .registry = string_at(object, "registry"),
                    .prefix = string_at(object, "prefix"),
                    .keep_host = bool_at(object, "keepHost"),
                    .keep_digest = bool_at(object, "keepDigest"),
                    .exactly = string_at(object, "exactly"),
                    .parallel = int_at(object, "parallel", 6),
                    .bytes_per_second = int_at(object, "bytesPerSecond"),
                    .to = access_at(object, "to"),
                    .from = access_at(object, "from")};
    if (const json::value* only = object.if_contains("only"); only != nullptr && only->is_array()) {
        for (const json::value& item : only->as_array()) {
            if (item.is_string()) out.only.emplace_back(item.as_string());
        }
    }
    return out;
}

}  // namespace slipway::images
