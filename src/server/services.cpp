#include "server/services.hpp"

#include "base/files.hpp"

namespace slipway::server {

namespace {

std::filesystem::path made(const std::filesystem::path& folder) {
    make_private_folders(folder);
    return folder;
}

}  // namespace

Services::Services(Settings how)
    : settings(std::move(how)),
      clock(*settings.clock),
      identity(settings.fingerprint, settings.hosts),
      gate(clock),
      passwords(made(settings.folder())),
      sessions(
          settings.folder(), clock, [this] { return passwords.mark(); }, settings.warn),
      tokens(settings.folder(), clock),
      audit(settings.folder() / "audit.log"),
      answers(clock),
      children(settings.program, settings.state),
      jobs(children, made(settings.folder() / "plans"), clock),
      drafts(made(settings.folder() / "specs"), children),
      bundles(made(settings.folder() / "bundles")) {}

}  // namespace slipway::server
