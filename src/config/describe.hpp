// Descriptions of structs: one list of fields from which decoding, defaults, canonical JSON, JSON
// Schema and `slipway explain` all follow. Defaults are the struct's own member initialisers.
//
//     struct Disk { std::string path; std::int64_t size_mib = 100; };
//     void describe(config::Describe<Disk>& d) {
//         d.field("path", &Disk::path, "Where it is mounted.").example("/data").required()
//             .rule(rules::absolute_path());
//         d.field("sizeMib", &Disk::size_mib, "How large it must be, in MiB.").range(1, 1 << 20);
//     }
//     enum class Speed { slow, fast };
//     void describe(config::Choices<Speed>& c) {
//         c.add("slow", Speed::slow, "Spinning disks.");
//         c.add("fast", Speed::fast, "Solid state.");
//     }
//
// describe() is found by argument-dependent lookup, so it stands in the namespace of its struct or
// enum. Members may be std::string, bool, integers, double, described enums and structs, and
// std::vector and std::map<std::string, …> of these.
#pragma once

#include "base/json.hpp"
#include "config/problem.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace slipway::config {

struct TypeInfo;

// What a text breaks, as it reads after the value's path: {"is not a network", "write it as …"}.
struct Fault {
    std::string what;
    std::string todo;
};

// A rule on a text; see rules.hpp.
struct Rule {
    std::string name;     // for explain: "network in CIDR form"
    std::string pattern;  // for the JSON Schema; empty when no regular expression says it
    std::optional<Fault> (*check)(std::string_view) = nullptr;
};

struct Choice {
    std::string name;
    std::int64_t value = 0;
    std::string help;
    bool built = true;
};

// One field of a struct. The chained calls are for describe(); everyone else reads the members.
struct Field {
    std::string key;  // as in the YAML: camelCase
    std::string help;
    const TypeInfo& (*type)() = nullptr;
    std::ptrdiff_t offset = 0;  // of the member inside its struct

    std::string example_text;
    std::string unset_text;  // what leaving it out means, where the default alone does not tell
    bool is_required = false;
    bool is_built = true;
    bool is_set = false;         // a list whose order means nothing
    bool is_local_file = false;  // a path on this computer, relative to the file it is written in
    bool is_local_program = false;  // a command: its first item, when it has a slash, is a path
    bool is_envelope = false;  // its key is left out of paths: spec.hosts is spoken of as hosts
    std::size_t min_items = 0;
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    std::vector<std::string> words;   // the only texts allowed
    const Rule* text_rule = nullptr;  // of a text, of each item of a list, of each value of a map
    const Rule* key_rule = nullptr;   // of each key of a map

    Field& example(std::string text) { return example_text = std::move(text), *this; }
    Field& unset_means(std::string text) { return unset_text = std::move(text), *this; }
    Field& required() { return is_required = true, *this; }
    Field& not_built() { return is_built = false, *this; }
    Field& unordered() { return is_set = true, *this; }
    Field& local_file() { return is_local_file = true, *this; }
    Field& local_program() { return is_local_program = true, *this; }
    Field& envelope() { return is_envelope = true, *this; }
    Field& at_least_one() { return min_items = 1, *this; }
    Field& range(std::int64_t low, std::int64_t high) { return min = low, max = high, *this; }
    Field& one_of(std::vector<std::string> texts) { return words = std::move(texts), *this; }
    Field& rule(const Rule& r) { return text_rule = &r, *this; }
    Field& keys(const Rule& r) { return key_rule = &r, *this; }

    void* in(void* object) const { return static_cast<char*>(object) + offset; }
    const void* in(const void* object) const { return static_cast<const char*>(object) + offset; }
};

// Where an object-level check reports: keys are relative to the object.
class Scope {
  public:
    Scope(Findings& findings, std::string path) : findings_(findings), path_(std::move(path)) {}
    void error(std::string_view id, std::string_view key, std::string what, std::string todo);

  private:
    Findings& findings_;
    std::string path_;
};

enum class Kind { text, boolean, integer, real, choice, list, map, object };

// A type as data. Values are reached through void* to the C++ object; only the members of its kind
// are set.
struct TypeInfo {
    Kind kind = Kind::text;

    // integer: its own range; choice: by value
    std::int64_t min = 0, max = 0;
    void (*set_integer)(void*, std::int64_t) = nullptr;
    std::int64_t (*get_integer)(const void*) = nullptr;
    std::vector<Choice> choices;

    // list, map
    const TypeInfo& (*item)() = nullptr;
    void (*clear)(void*) = nullptr;
    void* (*append)(void*) = nullptr;
    void* (*insert)(void*, const std::string&) = nullptr;
    void (*each)(const void*,
                 const std::function<void(const std::string& key, const void*)>&) = nullptr;

    // object
    std::vector<Field> fields;
    const void* prototype = nullptr;  // a default-made object: where defaults are read
    bool secret = false;  // refers to a secret: nothing the user wrote in it is repeated
    bool (*is_unset)(const void*) = nullptr;  // the whole object means "not given"
    std::vector<std::function<void(const void*, Scope&)>> checks;

    const Field* find(std::string_view key) const;
};

template <class T>
const TypeInfo& type_of();

// Builds the description of the struct T; see the top of this file.
template <class T>
class Describe {
  public:
    explicit Describe(TypeInfo& info) : info_(info) {}

    template <class M>
    Field& field(std::string key, M T::* member, std::string help) {
        Field& f = info_.fields.emplace_back();
        f.key = std::move(key);
        f.help = std::move(help);
        f.type = &type_of<M>;
        const T& object = *static_cast<const T*>(info_.prototype);
        f.offset = reinterpret_cast<const char*>(&(object.*member)) -
                   reinterpret_cast<const char*>(&object);
        return f;
    }

    // Runs on an object that decoded without a problem: rules that span fields.
    void check(std::function<void(const T&, Scope&)> rule) {
        info_.checks.push_back([rule = std::move(rule)](const void* object, Scope& scope) {
            rule(*static_cast<const T*>(object), scope);
        });
    }

    void secret() { info_.secret = true; }
    void unset_when(bool (*is_unset)(const void*)) { info_.is_unset = is_unset; }

  private:
    TypeInfo& info_;
};

// Builds the names of the enum E.
template <class E>
class Choices {
  public:
    explicit Choices(TypeInfo& info) : info_(info) {}
    void add(std::string name, E value, std::string help) {
        info_.choices.push_back(
            {std::move(name), static_cast<std::int64_t>(value), std::move(help), true});
    }
    void add_not_built(std::string name, E value, std::string help) {
        info_.choices.push_back(
            {std::move(name), static_cast<std::int64_t>(value), std::move(help), false});
    }

  private:
    TypeInfo& info_;
};

// The name of an enum's value, as the YAML spells it.
const std::string& choice_name(const TypeInfo& type, std::int64_t value);

// A value as JSON. Unset secret references are left out.
enum class JsonStyle {
    plain,      // as written
    canonical,  // lists whose order means nothing are sorted; fields that are not built are left
                // out
};
json::value to_json(const TypeInfo& type, const void* value, JsonStyle style,
                    const Field* field = nullptr);

template <class T>
json::value to_json(const T& value, JsonStyle style = JsonStyle::plain) {
    return to_json(type_of<T>(), &value, style);
}

namespace detail {

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

template <class T>
void make_integer(TypeInfo& info) {
    info.set_integer = [](void* p, std::int64_t v) { *static_cast<T*>(p) = static_cast<T>(v); };
    info.get_integer = [](const void* p) {
        return static_cast<std::int64_t>(*static_cast<const T*>(p));
    };
}

template <class T>
void make_list(TypeInfo& info) {
    using Item = typename T::value_type;
    info.kind = Kind::list;
    info.item = &type_of<Item>;
    info.clear = [](void* p) { static_cast<T*>(p)->clear(); };
    info.append = [](void* p) -> void* { return &static_cast<T*>(p)->emplace_back(); };
    info.each = [](const void* p, const auto& visit) {
        for (const Item& item : *static_cast<const T*>(p)) visit("", &item);
    };
}

template <class T>
void make_map(TypeInfo& info) {
    info.kind = Kind::map;
    info.item = &type_of<typename T::mapped_type>;
    info.clear = [](void* p) { static_cast<T*>(p)->clear(); };
    info.insert = [](void* p, const std::string& key) -> void* {
        return &(*static_cast<T*>(p))[key];
    };
    info.each = [](const void* p, const auto& visit) {
        for (const auto& [key, item] : *static_cast<const T*>(p)) visit(key, &item);
    };
}

template <class T>
TypeInfo make_type() {
    TypeInfo info;
    if constexpr (std::is_same_v<T, std::string>) {
        info.kind = Kind::text;
    } else if constexpr (std::is_same_v<T, bool>) {
        info.kind = Kind::boolean;
    } else if constexpr (std::is_same_v<T, double>) {
        info.kind = Kind::real;
    } else if constexpr (std::is_integral_v<T>) {
        info.kind = Kind::integer;
        info.min =
            std::is_signed_v<T> ? static_cast<std::int64_t>(std::numeric_limits<T>::min()) : 0;
        info.max = sizeof(T) < 8 ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
                                 : std::numeric_limits<std::int64_t>::max();
        make_integer<T>(info);
    } else if constexpr (std::is_enum_v<T>) {
        info.kind = Kind::choice;
        make_integer<T>(info);
        Choices<T> choices(info);
        describe(choices);
    } else if constexpr (is_list<T>) {
        make_list<T>(info);
    } else if constexpr (is_map<T>) {
        make_map<T>(info);
    } else {
        static const T prototype{};
        info.kind = Kind::object;
        info.prototype = &prototype;
        Describe<T> fields(info);
        describe(fields);
    }
    return info;
}

}  // namespace detail

template <class T>
const TypeInfo& type_of() {
    static const TypeInfo info = detail::make_type<T>();
    return info;
}

}  // namespace slipway::config
