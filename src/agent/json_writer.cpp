#include "agent/json_writer.hpp"

#include <algorithm>

namespace slipway::agent {

namespace {

bool is_continuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// Length of the UTF-8 sequence `text` begins with; 0 when it is none (too short, overlong, a
// surrogate, beyond U+10FFFF).
std::size_t sequence_length(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = at(0);
    std::size_t length = 0;
    unsigned char least = 0x80;  // of the second byte
    unsigned char most = 0xbf;
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) {
        length = 2;
    } else if (first >= 0xe0 && first <= 0xef) {
        length = 3;
        if (first == 0xe0) least = 0xa0;
        if (first == 0xed) most = 0x9f;
    } else if (first >= 0xf0 && first <= 0xf4) {
        length = 4;
        if (first == 0xf0) least = 0x90;
        if (first == 0xf4) most = 0x8f;
    } else {
        return 0;
    }
    if (text.size() < length || at(1) < least || at(1) > most) return 0;
    const std::string_view rest = text.substr(2, length - 2);
    return std::all_of(rest.begin(), rest.end(),
                       [](char c) { return is_continuation(static_cast<unsigned char>(c)); })
               ? length
               : 0;
}

void add_control(std::string& out, char c) {
    static constexpr char kDigits[] = "0123456789abcdef";
    switch (c) {
        case '\n': out += "\\n"; return;
        case '\t': out += "\\t"; return;
        case '\r': out += "\\r"; return;
        default:
            out += "\\u00";
            out += kDigits[static_cast<unsigned char>(c) >> 4];
            out += kDigits[static_cast<unsigned char>(c) & 15];
    }
}

}  // namespace

void JsonWriter::separate() {
    if (!out_.ends_with('{') && !out_.ends_with('[')) out_ += ',';
}

void JsonWriter::start(std::string_view key) {
    separate();
    quoted(key);
    out_ += ':';
}

void JsonWriter::quoted(std::string_view text) {
    out_ += '"';
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        const char c = text.front();
        if (length == 0) {
            out_ += "\xef\xbf\xbd";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            add_control(out_, c);
        } else {
            if (c == '"' || c == '\\') out_ += '\\';
            out_ += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    out_ += '"';
}

void JsonWriter::member(std::string_view key, std::string_view text) {
    start(key);
    quoted(text);
}

void JsonWriter::member(std::string_view key, const std::vector<std::string>& texts) {
    begin_array(key);
    for (const std::string& text : texts) {
        separate();
        quoted(text);
    }
    end_array();
}

void JsonWriter::member(std::string_view key, const std::map<std::string, std::string>& texts) {
    start(key);
    out_ += '{';
    for (const auto& [name, text] : texts) member(name, text);
    out_ += '}';
}

void JsonWriter::begin_array(std::string_view key) {
    start(key);
    out_ += '[';
}

void JsonWriter::end_array() { out_ += ']'; }

void JsonWriter::begin_object() {
    separate();
    out_ += '{';
}

void JsonWriter::end_object() { out_ += '}'; }

std::string JsonWriter::take() {
    out_ += '}';
    return std::move(out_);
}

}  // namespace slipway::agent
