#include "cluster/steps/etcd_scripts.hpp"

#include "base/text.hpp"
#include "cluster/etcd_config.hpp"

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

// Where the tools are: beside the service, or in the image of the pod, which sees of the host only
// etcd's own folder.
constexpr std::string_view kSaveOfService = R"sh(tool() { "/usr/local/bin/$@"; }
draft="$folder/draft.part"
take() { mv "$draft" "$1"; }
)sh";
constexpr std::string_view kSaveOfPod =
    R"sh(crictl="/usr/local/bin/crictl -r unix:///run/containerd/containerd.sock"
id=$($crictl ps -q --state Running --name '^etcd$' | head -n 1)
[ -n "$id" ] || { echo "etcd does not run on this host" >&2; exit 1; }
tool() { $crictl exec "$id" "$@"; }
draft="$data/slipway-backup.part"
sum() { sha256sum <"$1"; }
take() { cat "$draft" >"$1" && [ "$(sum "$draft")" = "$(sum "$1")" ]; }
)sh";

// A backup has its name only once it is whole, verified and on disk; older ones go after that.
constexpr std::string_view kBackup = R"sh(#!/bin/sh
# Written by Slipway; changes are overwritten.
set -eu
umask 077
folder={folder}
data={data}
keep={keep}
{tools}
clean() {{ rm -f "$draft" "$draft.part" "$folder"/*.part; }}
clean
trap clean EXIT
tool {save} "$draft"
tool etcdutl snapshot status "$draft" >/dev/null
name="$folder/etcd-$(date -u +%Y%m%dT%H%M%SZ).db"
take "$name.part"
sync "$name.part"
mv "$name.part" "$name"
sync "$folder"
ls -1 "$folder" | grep '^etcd-.*\.db$' | sort -r | tail -n "+$((keep + 1))" | while read -r old; do
    rm -f "$folder/$old"
done
echo "wrote $name"
)sh";

constexpr std::string_view kLoadOfService = R"sh(file=/etc/systemd/system/etcd.service
stop() { systemctl stop etcd.service; }
start() { systemctl start etcd.service; }
stopped() { ! systemctl -q is-active etcd.service; }
tool() { "/usr/local/bin/$@"; }
)sh";
// The kubelet ends a pod whose manifest is gone, and starts it again when it is back.
constexpr std::string_view kLoadOfPod =
    R"sh(manifests=/etc/kubernetes/manifests
aside=/etc/kubernetes/slipway/restore
file="$aside/etcd.yaml"
crictl="/usr/local/bin/crictl -r unix:///run/containerd/containerd.sock"
runs() { [ -n "$($crictl ps -q --state Running --name '^(etcd|kube-apiserver)$')" ]; }
stop() {
    mkdir -p "$aside"
    for name in kube-apiserver etcd; do
        [ ! -e "$manifests/$name.yaml" ] || mv "$manifests/$name.yaml" "$aside/"
    done
    for i in $(seq 120); do runs || return 0; sleep 1; done
    echo "etcd or the API server does not end" >&2
    return 1
}
start() {
    for name in etcd kube-apiserver; do
        [ ! -e "$aside/$name.yaml" ] || mv "$aside/$name.yaml" "$manifests/"
    done
    rmdir "$aside"
}
stopped() { [ -e "$file" ]; }
tool() {
    image=$(sed -n 's/^ *image: //p' "$file")
    /usr/local/bin/ctr -n k8s.io run --rm --mount "type=bind,src=$data,dst=$data,options=rbind:rw" \
        "$image" slipway-restore "$@"
}
)sh";

// The data that was there stays beside the new. Revisions go on above all that were ever seen, so
// that no watcher takes old news for new.
constexpr std::string_view kRestore = R"sh(#!/bin/sh
# Written by Slipway; changes are overwritten.
# restore-etcd stop | load BACKUP | start, each on every host that runs etcd before the next one: docs/etcd.md
set -eu
umask 077
data={data}
{tools}
option() {{ sed -n "s/^[ -]*\(--$1=[^ ]*\).*/\1/p" "$file"; }}
load() {{
    stopped || {{ echo "stop etcd first" >&2; exit 1; }}
    rm -rf "$data/restored"
    cat "$1" >"$data/restore.db"
    tool etcdutl snapshot restore "$data/restore.db" --data-dir="$data/restored" \
        $(option name) $(option initial-cluster) $(option initial-cluster-token) \
        $(option initial-advertise-peer-urls) --bump-revision=1000000000 --mark-compacted
    rm -f "$data/restore.db"
    [ ! -e "$data/member" ] || mv "$data/member" "$data/member-before-$(date -u +%Y%m%dT%H%M%SZ)"
    mv "$data/restored/member" "$data/member"
    rmdir "$data/restored"
    sync "$data"
}}
case "${{1:-}}" in
stop) stop ;;
load) load "$2" ;;
start) start ;;
*) echo "usage: restore-etcd stop | load BACKUP | start" >&2; exit 2 ;;
esac
)sh";

bool is_service(const config::Etcd& etcd) { return etcd.mode == config::EtcdMode::managed; }

}  // namespace

std::string backup_script(const config::Etcd& etcd) {
    std::vector<std::string> save = etcdctl({"snapshot", "save"});
    save[0] = "etcdctl";  // in the image it is elsewhere
    return fmt::format(fmt::runtime(kBackup), fmt::arg("folder", etcd.backup.folder),
                       fmt::arg("data", etcd.data_folder), fmt::arg("keep", etcd.backup.keep),
                       fmt::arg("tools", is_service(etcd) ? kSaveOfService : kSaveOfPod),
                       fmt::arg("save", join(save, " ")));
}

std::string restore_script(const config::Etcd& etcd) {
    return fmt::format(fmt::runtime(kRestore), fmt::arg("data", etcd.data_folder),
                       fmt::arg("tools", is_service(etcd) ? kLoadOfService : kLoadOfPod));
}

}  // namespace slipway::cluster
