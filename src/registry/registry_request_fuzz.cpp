// Any requests, one after the other, to a registry with a bundle and a store. None of them makes it
// fail; whatever is refused is refused in the words of the distribution spec; and what is in the
// store afterwards is what its name says.
//
//     METHOD TARGET        $U in the target is the id of the upload begun last
//     Name: value
//                          (an empty line)
//     body                 up to a line with ==== alone, then the next request
#include "net/failure.hpp"
#include "net/testing/memory_stream.hpp"
#include "registry/testing/running_registry.hpp"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace slipway::registry {

namespace {

namespace fs = std::filesystem;

void require(bool promise, std::string_view what, std::string_view about) {
    if (promise) return;
    std::cerr << what << ": " << about << '\n';
    std::abort();
}

std::string_view take_until(std::string_view& text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    const std::string_view out = text.substr(0, at);
    text = at == std::string_view::npos ? "" : text.substr(at + mark.size());
    return out;
}

std::string with_upload(std::string_view target, const std::string& upload) {
    std::string out(target);
    const std::size_t at = out.find("$U");
    return at == std::string::npos ? out : out.replace(at, 2, upload);
}

bool is_error_form(const net::Response& response) {
    const auto* text = std::get_if<std::string>(&response.body);
    testing::Answer answer{.body = text == nullptr ? "" : *text};
    return !answer.code().empty() && response.headers.find("Content-Type") == "application/json";
}

void send(Registry& registry, std::string_view text, std::string& upload) {
    std::string_view line = take_until(text, "\n");
    const std::string method(take_until(line, " "));
    const std::string target = with_upload(line, upload);
    net::Headers headers;
    for (line = take_until(text, "\n"); !line.empty(); line = take_until(text, "\n")) {
        const std::string_view name = take_until(line, ": ");
        headers.add(std::string(name), std::string(line));
    }
    net::testing::MemoryStream stream(text, 1000);
    net::InputBuffer buffer;
    net::BodyReader body(stream, buffer,
                         {.kind = net::BodyLength::Kind::counted, .bytes = text.size()}, {},
                         1u << 20);
    net::Response response;
    try {
        net::Request request{.method = method,
                             .raw_target = target,
                             .target = net::parse_target(method, target),
                             .headers = std::move(headers),
                             .peer = "fuzz",
                             .tls = {},
                             .body = body};
        registry.handle(request, response);
    } catch (const net::HttpError& error) {
        require(error.status < 500 || error.status == 501, "status", error.what());
        return;
    }
    require(response.status < 500 || response.status == 507, "failed", response.error);
    require(response.status < 400 || is_error_form(response), "form", target);
    if (const auto id = response.headers.find("Docker-Upload-UUID")) upload = *id;
}

void require_whole(const fs::path& store) {
    for (const auto& file : fs::recursive_directory_iterator(store / "blobs")) {
        if (!file.is_regular_file()) continue;
        const std::string name = file.path().filename();
        const auto algorithm = name.size() == 64 ? oci::Algorithm::sha256 : oci::Algorithm::sha512;
        require(oci::digest_of(read_file(file.path()), algorithm).hex == name, "blob", name);
    }
    require(fs::is_empty(store / "scratch"), "left behind", "scratch");
}

std::shared_ptr<const oci::BundleReader> sample_bundle() {
    static const oci::testing::TempFolder folder;
    static const auto bundle = std::make_shared<const oci::BundleReader>(
        testing::write_bundle(folder, "x.bundle", oci::testing::sample_images()));
    return bundle;
}

}  // namespace

void fuzz_requests(std::string_view text) {
    constexpr std::size_t kMostRequests = 20;
    static const testing::MemoryFolder folder;
    std::error_code none;
    fs::remove_all(folder.path() / "store", none);
    {
        Registry registry(
            Library(std::make_shared<Store>(folder.path() / "store"), {sample_bundle()}),
            {.most_uploads = 3});
        std::string upload(32, 'a');
        for (std::size_t i = 0; i < kMostRequests && !text.empty(); ++i)
            send(registry, take_until(text, "\n====\n"), upload);
        registry.clean(std::chrono::seconds(0));
    }
    require_whole(folder.path() / "store");
    for (const auto& entry : fs::directory_iterator(folder.path()))
        require(entry.path().filename() == "store", "outside", entry.path().string());
}

}  // namespace slipway::registry

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    slipway::registry::fuzz_requests({reinterpret_cast<const char*>(data), size});
    return 0;
}
