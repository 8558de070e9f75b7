// The header fields of a message: in order, names compared without case, a name may come twice.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slipway::net {

bool same_name(std::string_view a, std::string_view b);

class Headers {
  public:
    using Field = std::pair<std::string, std::string>;

    Headers() = default;
    Headers(std::initializer_list<Field> fields) : fields_(fields) {}

    void add(std::string name, std::string value);
    void set(std::string name, std::string value);  // instead of all of this name
    void remove(std::string_view name);

    // The first of this name.
    std::optional<std::string_view> find(std::string_view name) const;
    std::vector<std::string_view> find_all(std::string_view name) const;
    std::size_t count(std::string_view name) const;
    // Whether `token` stands in a list like that of Connection, in any field of this name.
    bool has_token(std::string_view name, std::string_view token) const;

    auto begin() const { return fields_.begin(); }
    auto end() const { return fields_.end(); }
    std::size_t size() const { return fields_.size(); }

  private:
    std::vector<Field> fields_;
};

// Whether a field may be sent: a line break in a value would be another field.
bool is_sendable(const Headers::Field& field);

}  // namespace slipway::net
