// Writes one JSON object, member by member, in the order they come. The agent only ever writes
// JSON, so this is all it has of it.
//
//     JsonWriter json;
//     json.member("hostname", name);
//     json.begin_array("disks");
//     json.begin_object();
//     json.member("mount", "/var");
//     json.end_object();
//     json.end_array();
//     std::string text = json.take();
//
// Bytes from the host may be anything: what is not UTF-8 becomes U+FFFD, so that the other side can
// always read the whole.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::agent {

class JsonWriter {
  public:
    JsonWriter() : out_("{") {}

    void member(std::string_view key, std::string_view text);
    void member(std::string_view key, const char* text) { member(key, std::string_view(text)); }
    void member(std::string_view key, const std::string& text) {
        member(key, std::string_view(text));
    }
    template <std::same_as<bool> Bool>  // a pointer must not become one
    void member(std::string_view key, Bool yes) {
        start(key);
        out_ += yes ? "true" : "false";
    }
    template <std::integral Number>
        requires(!std::same_as<Number, bool>)
    void member(std::string_view key, Number number) {
        start(key);
        out_ += std::to_string(number);
    }
    void member(std::string_view key, const std::vector<std::string>& texts);
    void member(std::string_view key, const std::map<std::string, std::string>& texts);

    void begin_array(std::string_view key);
    void end_array();
    void begin_object();  // an item of the array that was begun
    void end_object();

    std::string take();  // ends the object

  private:
    void separate();
    void start(std::string_view key);
    void quoted(std::string_view text);

    std::string out_;
};

}  // namespace slipway::agent
