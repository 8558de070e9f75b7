// What a user means by a source of images: a bundle, a layout, an archive of any kind, or something
// in a registry.
//
//     const auto from = open_image_source(options, login, stop);
//     read_push_set(from->source(), from->images(), …);
#pragma once

#include "images/push_options.hpp"
#include "oci/bundle_source.hpp"
#include "oci/client/registry_client.hpp"
#include "oci/source.hpp"

#include <memory>
#include <stop_token>
#include <vector>

namespace slipway::images {

class ImageSource {
  public:
    virtual ~ImageSource() = default;
    virtual oci::Source& source() = 0;
    virtual std::vector<oci::SourceImage> images() = 0;
};

std::unique_ptr<ImageSource> open_image_source(const PushOptions& options, oci::Login login,
                                               const std::stop_token& stop);

// A client for a registry that is reached this way.
oci::RegistryOptions registry_options(const std::string& host, const RegistryAccess& access,
                                      oci::Login login, const std::stop_token& stop);

// Whether the text names a file or folder here, not something in a registry.
bool is_local(const std::string& source);

}  // namespace slipway::images
