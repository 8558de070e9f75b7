#include "oci/packages/xml_reader.hpp"

#include "oci/packages/repository_errors.hpp"

#include <exception>
#include <memory>
#include <vector>

#include <expat.h>

namespace slipway::oci::packages {

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxText = 1u << 20;

// Expat is C: nothing may be thrown through it, so what is thrown waits here.
struct Reading {
    XML_Parser parser = nullptr;
    const XmlHandler* handler = nullptr;
    std::vector<std::string> texts;  // of the open elements
    std::exception_ptr thrown;
    std::string refused;

    void stop() const { XML_StopParser(parser, XML_FALSE); }
    void refuse(std::string why) {
        if (refused.empty()) refused = std::move(why);
        stop();
    }
    template <class Act>
    void guarded(Act act) {
        if (thrown || !refused.empty()) return;
        try {
            act();
        } catch (...) {
            thrown = std::current_exception();
            stop();
        }
    }
};

std::string_view local_name(const char* name) {
    const std::string_view text(name);
    const std::size_t colon = text.rfind(':');
    return colon == std::string_view::npos ? text : text.substr(colon + 1);
}

void on_begin(void* data, const char* name, const char** attributes) {
    auto& reading = *static_cast<Reading*>(data);
    if (reading.texts.size() >= kMaxDepth) return reading.refuse("its elements lie too deep");
    reading.guarded([&] {
        reading.texts.emplace_back();
        XmlAttributes all;
        for (const char** a = attributes; a[0] != nullptr; a += 2)
            all.emplace(local_name(a[0]), a[1]);
        if (reading.handler->begin) reading.handler->begin(local_name(name), all);
    });
}

void on_end(void* data, const char* name) {
    auto& reading = *static_cast<Reading*>(data);
    reading.guarded([&] {
        const std::string text = std::move(reading.texts.back());
        reading.texts.pop_back();
        if (reading.handler->end) reading.handler->end(local_name(name), text);
    });
}

void on_text(void* data, const char* text, int size) {
    auto& reading = *static_cast<Reading*>(data);
    reading.guarded([&] {
        if (reading.texts.empty()) return;
        std::string& into = reading.texts.back();
        if (into.size() + static_cast<std::size_t>(size) > kMaxText)
            return reading.refuse("a text is too long");
        into.append(text, static_cast<std::size_t>(size));
    });
}

void on_doctype(void* data, const char*, const char*, const char*, int) {
    static_cast<Reading*>(data)->refuse("it has a DTD");
}

}  // namespace

void read_xml(ByteStream& stream, const std::string& what, const XmlHandler& handler) {
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
        XML_ParserCreate(nullptr), &XML_ParserFree);
    if (!parser) throw std::bad_alloc();
    Reading reading{
        .parser = parser.get(), .handler = &handler, .texts = {}, .thrown = {}, .refused = {}};
    XML_SetUserData(parser.get(), &reading);
    XML_SetElementHandler(parser.get(), on_begin, on_end);
    XML_SetCharacterDataHandler(parser.get(), on_text);
    XML_SetStartDoctypeDeclHandler(parser.get(), on_doctype);
    std::string buffer(kChunk, '\0');
    for (bool ended = false; !ended;) {
        const std::size_t n = stream.read(buffer.data(), buffer.size());
        ended = n == 0;
        const XML_Status status = XML_Parse(parser.get(), buffer.data(), static_cast<int>(n),
                                            ended ? XML_TRUE : XML_FALSE);
        if (reading.thrown) std::rethrow_exception(reading.thrown);
        if (!reading.refused.empty()) repository_invalid(what, reading.refused);
        if (status == XML_STATUS_ERROR) {
            repository_invalid(what, XML_ErrorString(XML_GetErrorCode(parser.get())));
        }
    }
}

}  // namespace slipway::oci::packages
