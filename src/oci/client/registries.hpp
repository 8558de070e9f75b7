// The registries a recipe names images of: how each is reached, and one client for each.
//
//     Registries registries(recipe.spec.registries, {});
//     const auto [client, repository] =
//     registries.place_of(Reference::parse("registry.k8s.io/pause:3.10"));
#pragma once

#include "base/mutex.hpp"
#include "config/secret_ref.hpp"
#include "oci/client/registry_client.hpp"
#include "oci/recipe.hpp"
#include "oci/reference.hpp"

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace slipway::oci {

struct RegistriesOptions {
    config::Prompt prompt = {};  // for passwords that have to be asked for
    RetryRules retry = {};
    std::size_t connections = 8;
    std::stop_token stop = {};
};

struct RegistryPlace {
    RegistryClient& client;
    std::string repository;
};

class Registries {
  public:
    Registries(std::vector<RecipeRegistry> settings, RegistriesOptions options);

    // Where the image is asked for: at its registry, or at the mirror the recipe names for it.
    RegistryPlace place_of(const Reference& reference);
    // CA for a server of this host, "" when the recipe says none.
    std::string ca_for(const std::string& host) const;

    const RegistriesOptions& options() const { return options_; }

  private:
    const RecipeRegistry* settings_of(const std::string& host) const;
    std::unique_ptr<RegistryClient> connect(const std::string& host, const RecipeRegistry* how);

    std::vector<RecipeRegistry> settings_;
    RegistriesOptions options_;
    Mutex mutex_;
    // By the host of the name, not of the mirror: two may share one with different logins.
    std::map<std::string, std::unique_ptr<RegistryClient>> clients_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace slipway::oci
