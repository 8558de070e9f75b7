// The spec while it is made: values, and for each where in the input it came from.
//
//     Draft& host = draft.at("hosts").item();
//     host.at("address").set("10.0.0.11", machine["ip"]);
//     refuse_bad_values(draft, load, refused);   // what the spec's own rules do not take
#pragma once

#include "base/json.hpp"
#include "convert/document.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace slipway::convert {

// A value of the input and where it is in the spec.
struct Taken {
    std::string from;
    std::string to;
};

class Draft {
  public:
    // The value at keys joined by dots, made when there is none. References stay good.
    Draft& at(std::string_view path);
    Draft& key(std::string_view name);  // one key, dots and all
    Draft& item();                      // a new one at the end of a list
    const Draft* find(std::string_view name) const;

    // Sets a value that comes from `from`, which is taken thereby.
    template <class Value>
    void set(const Value& value, const View& from) {
        put(json::value(value), {from});
    }
    template <class Value>
    void set(const Value& value, const std::vector<View>& from) {
        put(json::value(value), from);
    }
    // A value the input has no leaf for: a default of its own, a name that had to be made.
    template <class Value>
    void set(const Value& value) {
        leaf_ = json::value(value);
    }

    bool is_empty() const;
    const json::value& value() const { return leaf_; }
    const std::vector<std::unique_ptr<Draft>>& items() const { return items_; }

    void prune();  // takes out what is empty
    json::value to_json() const;
    std::vector<Taken> taken() const;

  private:
    friend class Repair;

    struct Entry {
        std::string name;
        std::unique_ptr<Draft> value;
    };

    void put(json::value value, const std::vector<View>& from);
    template <class Doomed>
    void erase_if(const Doomed& doomed);
    void collect(const std::string& path, std::vector<Taken>& out) const;

    json::value leaf_;  // null: an object, a list, or nothing yet
    std::vector<Entry> entries_;
    std::unordered_map<std::string, Draft*> by_name_;
    std::vector<std::unique_ptr<Draft>> items_;
    std::vector<std::string> origins_;
};

// The paths of `key` below `path`, as problems of a spec name it.
std::string spec_path(const std::string& path, std::string_view key);

// Everything that is wrong with the spec of a draft.
using Judge = std::function<std::vector<config::Problem>(const Draft&)>;

// Takes out what `judge` refuses and adds it to `refused`, until nothing is left to take out. The
// problems that stay: something is missing, or concerns the hosts as a whole.
std::vector<config::Problem> refuse_bad_values(Draft& draft, const Judge& judge,
                                               std::vector<Unsupported>& refused);

}  // namespace slipway::convert
