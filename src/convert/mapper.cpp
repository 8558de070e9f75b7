#include "convert/mapper.hpp"

#include "base/base64.hpp"
#include "base/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::convert {

namespace {

constexpr std::string_view kNoScalar = "is not a single value";
constexpr std::string_view kNoList = "is not a list";

// What is no scalar is refused; what says nothing is agreed to. True when there is a value.
bool has_value(const View& from) {
    if (!from.is_there()) return false;
    if (!from.is_scalar()) {
        if (from.is_nothing())
            from.agree();
        else
            from.refuse(kNoScalar);
        return false;
    }
    if (!from.text().empty()) return true;
    from.agree();
    return false;
}

std::string environment_name(std::string_view name) {
    std::string out = "SLIPWAY_";
    for (const char c : name) {
        const bool letter = c >= 'a' && c <= 'z';
        out += letter ? static_cast<char>(c - 32) : (c >= '0' && c <= '9') ? c : '_';
    }
    return out;
}

std::string without_dashes(std::string_view name) {
    while (name.starts_with('-')) name.remove_prefix(1);
    return std::string(name);
}

}  // namespace

void Mapper::text(Draft& target, const View& from) const {
    if (has_value(from)) target.set(from.text(), from);
}

void Mapper::number(Draft& target, const View& from) const {
    if (!has_value(from)) return;
    const auto value = from.number();
    if (value == 0) return from.agree();
    if (value) return target.set(*value, from);
    target.set(from.text(), from);
}

void Mapper::flag(Draft& target, const View& from) const {
    if (!has_value(from)) return;
    const auto value = from.flag();
    if (value) return target.set(*value, from);
    from.refuse("is neither true nor false");
}

void Mapper::texts(Draft& target, const View& from) const {
    if (from.is_nothing()) return from.agree();
    if (!from.is_list()) return from.refuse(kNoList);
    for (const View& item : from.items()) {
        if (has_value(item)) target.item().set(item.text(), item);
    }
}

void Mapper::separated(Draft& target, const View& from, char separator) const {
    if (!has_value(from)) return;
    const std::vector<std::string> parts = split(from.text(), separator);
    if (parts.size() > kMostOfOneText) return from.refuse("holds too many values");
    for (const std::string& part : parts) {
        if (!trim(part).empty()) target.item().set(std::string(trim(part)), from);
    }
    if (target.is_empty()) from.refuse("holds no value");
}

void Mapper::text_map(Draft& target, const View& from) const {
    if (from.is_there() && !from.is_map() && !from.is_nothing()) return from.refuse("is not a map");
    for (const auto& [name, value] : entries(from)) {
        if (value.is_scalar())
            target.key(name).set(value.text(), value);
        else
            value.refuse(kNoScalar);
    }
}

void Mapper::argument(Draft& target, const std::string& name, const std::string& value,
                      const View& from) {
    if (!from.is_there()) return;
    if (!from.is_scalar()) return from.refuse(kNoScalar);
    Draft& place = target.key(without_dashes(name));
    if (place.is_empty()) return place.set(value, from);
    from.refuse("the same argument stands there before");
}

std::vector<View> Mapper::items(const View& from) {
    if (from.is_nothing()) from.agree();
    return from.items();
}

std::vector<std::pair<std::string, View>> Mapper::entries(const View& from) {
    const auto out = from.entries();
    if (out.empty() && (from.is_map() || from.is_nothing())) from.agree();
    return out;
}

void Mapper::arguments(Draft& target, const View& from) const {
    if (from.is_map()) {
        for (const auto& [name, value] : entries(from)) argument(target, name, value.text(), value);
        return;
    }
    if (from.is_nothing()) return from.agree();
    if (!from.is_list()) return from.refuse(kNoList);
    for (const View& item : from.items()) {
        if (!has_value(item)) continue;
        const std::string word = item.text();
        const std::size_t equals = word.find('=');
        const bool bare = equals == std::string::npos;
        argument(target, word.substr(0, equals), bare ? "true" : word.substr(equals + 1), item);
    }
}

json::object Mapper::reference_to(const std::string& name) const {
    switch (secrets_from_) {
        case SecretsFrom::environment: return {{"env", environment_name(name)}};
        case SecretsFrom::folder: return {{"file", secrets_folder_ + "/" + name}};
        case SecretsFrom::prompt: return {{"prompt", true}};
    }
    return {};
}

FoundSecret& Mapper::find_or_add(Secret value, const std::string& name) {
    const std::size_t hash = std::hash<std::string_view>{}(value.reveal());
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
        if (secrets[at->second].value.reveal() == value.reveal()) return secrets[at->second];
    }
    std::string unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) unique = fmt::format("{}-{}", name, i);
    by_hash_.emplace(hash, secrets.size());
    return secrets.emplace_back(FoundSecret{
        .name = unique, .reference = reference_to(unique), .from = {}, .value = std::move(value)});
}

void Mapper::secret(Draft& target, const View& from, const std::string& name, Encoding encoding) {
    if (!has_value(from)) return;
    Secret value(from.text());
    if (encoding == Encoding::base64) {
        auto decoded = from_base64(value.reveal());
        if (!decoded || decoded->empty())
            return from.refuse("is not base64, so no secret could be read from it");
        value = std::move(*decoded);
    }
    FoundSecret& found = find_or_add(std::move(value), name);
    // The same leaf may come twice: for the login and for sudo.
    if (found.from.empty() || found.from.back() != from.path()) found.from.push_back(from.path());
    target.set(found.reference, from);
}

void Mapper::lacks(const View& from, std::string_view why) {
    if (from.is_nothing()) return from.agree();
    from.refuse(why);
}

void Mapper::expect(const View& from, std::string_view expected, std::string_view why) {
    if (from.is_nothing() || from.text() == expected) return from.agree();
    from.refuse(why);
}

void Mapper::name_cluster(const View& from, std::string_view otherwise) {
    cluster = name_of(from.text(), otherwise);
    if (!has_value(from)) return;
    from.take();
    cluster_from = from.path();
    if (cluster != from.text())
        from.remark("names are lower-case words: it is " + cluster + " now");
}

std::string Mapper::name_of(std::string_view text, std::string_view otherwise) {
    std::string out;
    for (const char c : text) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || upper;
        if (kept)
            out += upper ? static_cast<char>(c + 32) : c;
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    out = out.substr(0, 63);
    while (out.ends_with('-')) out.pop_back();
    return out.empty() ? std::string(otherwise) : out;
}

}  // namespace slipway::convert
