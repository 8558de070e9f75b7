// The kinds of resources there are; each is one .cpp file of this folder, named like its function.
#pragma once

#include "cluster/resources/resource.hpp"
#include "cluster/vault.hpp"
#include "pki/authority.hpp"

#include <filesystem>

namespace slipway::cluster {

// A file of ours, or a symbolic link. Undo puts back what was there, or removes the file and the
// parent folders that were made for it.
ResourcePtr file(std::string path, remote::FileState wanted);

// systemd looks at these: it is told when one of them changes, which takes it 100 ms each time. Not
// of an untold file: somebody else tells it right after.
bool is_unit_file(std::string_view path);
ResourcePtr untold_file(std::string path, remote::FileState wanted);

// A marked block of lines in a file that is not ours: "# BEGIN slipway" … "# END slipway".
// Everything else in the file stays, at any time; undo takes out (or puts back) only the block.
ResourcePtr text_block(std::string path, std::string lines);

// How a program is told to read its configuration again. A unit is restarted only when it runs.
struct Activation {
    std::string unit = {};
    std::vector<std::string> command = {};       // after a change
    std::vector<std::string> undo_command = {};  // after putting back
    bool may_fail = false;                       // the command finds nobody to tell
    // Tried on a draft beside the file, whose path takes the place of "{}", before the file
    // changes.
    std::vector<std::string> check = {};
};

// A file or block some program has to read again when it changes. The content first goes in with a
// comment that says "not read yet" and loses it after the activation: so a crash in between is seen
// by the next probe.
ResourcePtr activated_file(std::string path, std::string content, Activation activation);
ResourcePtr activated_block(std::string path, std::string lines, Activation activation);

ResourcePtr folder(std::string path, unsigned mode, std::string owner = "root",
                   std::string group = "root");

// The name the kernel has and the one in /etc/hostname.
ResourcePtr hostname(std::string name);

ResourcePtr kernel_module(std::string name);

// The live value of a kernel setting.
ResourcePtr sysctl(std::string key, std::string value);

// No swap device in use.
ResourcePtr no_swap();

// A unit enabled and running.
ResourcePtr running_unit(std::string unit);

// An account. One that exists already is left as it is.
ResourcePtr user(std::string name, remote::UserState wanted);

// permissive, enforcing or disabled, now and after a reboot.
ResourcePtr selinux_mode(std::string mode);

ResourcePtr timezone(std::string zone);

// The service (or ufw profile) of that name let through the firewall, now and after a reboot.
ResourcePtr firewalld_service(std::string service);
ResourcePtr ufw_profile(std::string profile);

// Where a file of a bundle is fetched from: any of the servers, the first that has it.
struct FetchFrom {
    std::vector<std::string> servers = {};  // https://10.0.0.11:5000
    std::string path = {};                  // /v2/…/blobs/sha256:…
    std::string sha256 = {};
    std::uint64_t size = 0;
    unsigned mode = 0755;
    std::function<std::string()> ca_pem = {};  // asked for when it is needed
    std::string label = {};                    // "kubelet v1.34.11", for people
};
void fetch_any(Target& target, const FetchFrom& from, const std::string& path);

// A program from the bundle, by digest.
ResourcePtr fetched_file(std::string path, FetchFrom from);

// The members of an archive of the bundle, unpacked into a folder. `members` are those that are
// asked for by name; all of the archive is put there and taken away again. Where everything lies in
// one folder of the archive, `inside`, the members alone are put there, without that folder.
ResourcePtr unpacked_archive(std::string folder, FetchFrom from, std::vector<std::string> members,
                             std::string inside = "");

// A large file of this computer.
struct UploadFrom {
    std::filesystem::path file = {};
    std::uint64_t size = 0;
    unsigned mode = 0644;
    std::string identity = {};  // what tells it from other versions of itself
    std::string label = {};
};
ResourcePtr uploaded_file(std::string path, UploadFrom from);

// A folder some program fills. Undo takes away what came into it; a folder that was not there goes
// as a whole, also what is mounted below it.
ResourcePtr filled_folder(std::string path, unsigned mode = 0755);

// The same for what must outlive the cluster: undo takes the folder away only when it was made by
// us and is empty. Mode and owner of one that was there before stay as they are.
ResourcePtr kept_folder(std::string path, unsigned mode = 0755);

// A folder that the program itself makes. Undo takes it away unless it was there before.
ResourcePtr left_folder(std::string path);

// Certificate and key in two files, or both in one when the paths are the same. Made anew when what
// is there does not answer the request or ends soon.
struct CertificateFiles {
    std::string certificate = {};
    std::string key = {};
    std::string authority = {};  // of the vault
    pki::Request request = {};
    std::string unit = {};  // restarted when it runs and the certificate has changed
};
ResourcePtr certificate(CertificateFiles files, std::shared_ptr<Vault> vault);

// A kubeconfig with its certificate inside, or beside it in a file.
struct KubeconfigFile {
    std::string path = {};
    std::string server = {};
    std::string cluster = {};
    std::string user = {};
    pki::Request request = {};          // of the certificate inside
    std::string certificate_file = {};  // instead: certificate and key are there
};
ResourcePtr kubeconfig_file(KubeconfigFile file, std::shared_ptr<Vault> vault);

// A file with something of the vault: the certificate or key of an authority, the key of service
// accounts. `content` is asked when the file is written; `known` tells the SHA-256 it has when it
// is there already, "" when it has not been made yet.
struct VaultFile {
    std::string path = {};
    unsigned mode = 0600;
    std::function<Secret()> content = {};
    std::function<std::string()> known = {};
};
ResourcePtr vault_file(VaultFile file);

// Files a command makes, as kubeadm makes manifests. Made anew when `inputs` has changed or
// somebody has changed them.
struct MadeFiles {
    std::string name = {};
    std::vector<std::string> command = {};
    std::string inputs = {};  // digest of all that the command reads
    std::vector<std::string> files = {};
};
ResourcePtr made_files(MadeFiles made);

// OS packages from files of the bundle. Undo removes those that were not there.
struct PackageFile {
    std::string package = {};
    std::string version = {};
    FetchFrom from = {};
    std::string file = {};
};
ResourcePtr os_packages(std::vector<PackageFile> packages);

// A symbolic link that some program turns elsewhere later: only that there is one matters.
ResourcePtr link_once(std::string path, std::string to);

// Nothing while the node lives; undo ends every pod on it.
ResourcePtr pods_of_node();
// Nothing while the node lives; undo takes away interfaces, routes and firewall rules of pods.
ResourcePtr pod_network();

// A resource that can only restore(), from what identity() said. Throws StateError STATE-NEWER for
// a kind this program does not know.
ResourcePtr resource_from_identity(const json::object& identity);

}  // namespace slipway::cluster
