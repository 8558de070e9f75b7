#include "cluster/aliases.hpp"

#include "base/text.hpp"

#include <algorithm>

namespace slipway::cluster {

namespace {

constexpr std::string_view kCondition = "TKE condition";
constexpr std::string_view kInstaller = "TKE installer step";
constexpr std::string_view kModule = "KubeKey module";

constexpr std::string_view kChecked =
    "checks come before the plan; --ignore ID lets one of them fail";
constexpr std::string_view kNoPush =
    "images are served from the bundle; nothing is loaded, tagged or pushed";
constexpr std::string_view kNoGpu = "GPU drivers are not installed; a hooks.preInstall script can";
constexpr std::string_view kNoPlatform = "a service of the TKE platform, which is not installed";
constexpr std::string_view kOutsideBalancer =
    "a load balancer of your own needs nothing on the hosts";

constexpr StepAlias kAliases[] = {
    // Cluster creation, in its order.
    {kCondition, "EnsureCopyFiles", "copy-files", ""},
    {kCondition, "EnsurePreClusterInstallHook", "pre-install-script-*", ""},
    {kCondition, "EnsurePreInstallHook", "pre-install-script-*", ""},
    {kCondition, "EnsureRegistryHosts", "write-hosts-entries", ""},
    {kCondition, "EnsureInitAPIServerHost", "write-hosts-entries", ""},
    {kCondition, "EnsureKernelModule", "load-kernel-modules", ""},
    {kCondition, "EnsureSysctl", "set-sysctls", ""},
    {kCondition, "EnsureDisableSwap", "turn-off-swap", ""},
    {kCondition, "EnsurePreflight", "", kChecked},
    {kCondition, "EnsureClusterComplete", "", "the spec is complete once it is read"},
    {kCondition, "EnsureNvidiaDriver", "", kNoGpu},
    {kCondition, "EnsureNvidiaContainerRuntime", "", kNoGpu},
    {kCondition, "EnsureContainerRuntime", "install-container-runtime", ""},
    {kCondition, "EnsureKubernetesImages", "pull-images", ""},
    {kCondition, "EnsureKubelet", "install-kubernetes", ""},
    {kCondition, "EnsureCNIPlugins", "install-container-runtime", ""},
    {kCondition, "EnsureConntrackTools", "install-packages", ""},
    {kCondition, "EnsureKubeadm", "install-kubernetes", ""},
    {kCondition, "EnsureKeepalivedInit", "start-load-balancer", ""},
    {kCondition, "EnsureThirdPartyHAInit", "", kOutsideBalancer},
    {kCondition, "EnsureAuthzWebhook", "", "the API server takes such a webhook as arguments"},
    {kCondition, "EnsureAuditConfig", "write-audit-policy", ""},
    {kCondition, "EnsurePrepareForControlplane", "",
     "no static tokens are made; other files come with hooks.files"},
    {kCondition, "EnsureKubeadmInitPhaseKubeletStart", "start-kubelet", ""},
    {kCondition, "EnsureKubeadmInitPhaseCerts", "write-certificates", ""},
    {kCondition, "EnsureStoreCredential", "",
     "certificates are made on this computer and need not be read back"},
    {kCondition, "EnsureKubeconfig", "write-kubeconfig", ""},
    {kCondition, "EnsureKubeadmInitPhaseKubeConfig", "write-certificates", ""},
    {kCondition, "EnsureKubeadmInitPhaseControlPlane", "start-control-plane", ""},
    {kCondition, "EnsureKubeadmInitPhaseETCD", "start-etcd", ""},
    {kCondition, "EnsureKubeadmInitPhaseWaitControlPlane", "wait-for-api", ""},
    {kCondition, "EnsureKubeadmInitPhaseUploadConfig", "upload-cluster-config", ""},
    {kCondition, "EnsureKubeadmInitPhaseUploadCerts", "",
     "keys go from this computer to each control plane, not through the cluster"},
    {kCondition, "EnsureKubeadmInitPhaseBootstrapToken", "upload-cluster-config", ""},
    {kCondition, "EnsureKubeadmInitPhaseAddon", "install-kube-proxy install-dns", ""},
    {kCondition, "EnsureJoinPhasePreflight", "", kChecked},
    {kCondition, "EnsureJoinPhaseControlPlanePrepare", "write-certificates start-control-plane",
     ""},
    {kCondition, "EnsureJoinPhaseKubeletStart", "start-kubelet join-node", ""},
    {kCondition, "EnsureJoinPhaseControlPlaneJoinETCD", "start-etcd", ""},
    {kCondition, "EnsureJoinPhaseControlPlaneJoinUpdateStatus", "",
     "Kubernetes no longer has that status"},
    {kCondition, "EnsureClusternetRegistration", "",
     "Clusternet is not set up; a post-cluster-ready hook can"},
    {kCondition, "EnsureGalaxy", "install-network-plugin", ""},
    {kCondition, "EnsureCilium", "install-network-plugin", ""},
    {kCondition, "EnsurePatchAnnotation", "", "the static pods are written as they should be"},
    {kCondition, "EnsureMarkControlPlane", "join-node", ""},
    {kCondition, "EnsureKeepalivedWithLBOption", "start-load-balancer", ""},
    {kCondition, "EnsureThirdPartyHA", "", kOutsideBalancer},
    {kCondition, "EnsureModifyAPIServerHost", "write-hosts-entries", ""},
    {kCondition, "EnsureNvidiaDevicePlugin", "install-component-nvidia-device-plugin", ""},
    {kCondition, "EnsureGPUManager", "install-component-gpu-manager", ""},
    {kCondition, "EnsureCSIOperator", "install-component-csi-operator", ""},
    {kCondition, "EnsureMetricsServer", "install-metrics-server", ""},
    {kCondition, "EnsureCleanup", "", "it does nothing in TKE either"},
    {kCondition, "EnsureCreateClusterMark", "", "the journal says what was made"},
    {kCondition, "EnsurePostInstallHook", "post-install-script-*", ""},
    {kCondition, "EnsurePostClusterInstallHook", "post-cluster-ready-script-*", ""},
    // Only of workers.
    {kCondition, "EnsureClean", "", "leftovers are found by checks; slipway reset takes them away"},
    {kCondition, "EnsureManifestDir", "create-users-and-folders", ""},
    {kCondition, "EnsureMarkNode", "join-node", ""},
    {kCondition, "EnsureNodeReady", "join-node", ""},

    {kInstaller, "Init expansion", "", "expansions are not read yet"},
    {kInstaller, "Prepare expansion files", "", "expansions are not read yet"},
    {kInstaller, "Execute pre install hook", "operator-pre-install-*", ""},
    {kInstaller, "Load images", "", kNoPush},
    {kInstaller, "Tag images", "", kNoPush},
    {kInstaller, "Setup local registry", "serve-bundle", ""},
    {kInstaller, "Push base components images", "", kNoPush},
    {kInstaller, "Generate certificates for TKE components", "", kNoPlatform},
    {kInstaller, "Create global cluster", "start-etcd start-control-plane wait-for-api join-node",
     ""},
    {kInstaller, "Write kubeconfig", "write-kubeconfig", ""},
    {kInstaller, "Execute post cluster ready hook", "operator-post-cluster-ready-*", ""},
    {kInstaller, "Prepare front proxy certificates", "write-certificates", ""},
    {kInstaller, "Create namespace for install TKE", "", kNoPlatform},
    {kInstaller, "Prepare certificates", "", kNoPlatform},
    {kInstaller, "Prepare baremetal provider config", "", kNoPlatform},
    {kInstaller, "Install etcd", "", kNoPlatform},
    {kInstaller, "Patch platform versions in cluster info", "", kNoPlatform},
    {kInstaller, "Init Platform Applications", "", "components are in the spec from the start"},
    {kInstaller, "Preprocess Platform Applications", "",
     "components are in the spec from the start"},
    {kInstaller, "Install Platform Applications", "install-component-*", ""},
    {kInstaller, "Prepare pull images", "pull-images", ""},
    {kInstaller, "Install tke-registry chart", "", kNoPlatform},
    {kInstaller, "Stop local registry to give up 80/443 for ingress", "",
     "the registry has a port of its own"},
    {kInstaller, "Install tke-gateway chart", "", kNoPlatform},
    {kInstaller, "Install ingress-nginx chart", "install-component-ingress-nginx", ""},
    {kInstaller, "Prepare push images to TKE registry", "", kNoPush},
    {kInstaller, "Push images to registry", "", kNoPush},
    {kInstaller, "Set global cluster hosts", "write-hosts-entries", ""},
    {kInstaller, "Install tke audit", "", kNoPlatform},
    {kInstaller, "Install tke-business-api", "", kNoPlatform},
    {kInstaller, "Install tke-business-controller", "", kNoPlatform},
    {kInstaller, "Install InfluxDB chart", "install-component-influxdb", ""},
    {kInstaller, "Install Thanos", "install-component-thanos", ""},
    {kInstaller, "Install tke-monitor-api", "", kNoPlatform},
    {kInstaller, "Install tke-monitor-controller", "", kNoPlatform},
    {kInstaller, "Install tke-notify-api", "", kNoPlatform},
    {kInstaller, "Install tke-notify-controller", "", kNoPlatform},
    {kInstaller, "Install tke-logagent-api", "", kNoPlatform},
    {kInstaller, "Install tke-logagent-controller", "", kNoPlatform},
    {kInstaller, "Install tke-application-api", "", kNoPlatform},
    {kInstaller, "Install tke-application-controller", "", kNoPlatform},
    {kInstaller, "Install tke-mesh-api", "", kNoPlatform},
    {kInstaller, "Install tke-mesh-controller", "", kNoPlatform},
    {kInstaller, "Register tke api into global cluster", "", kNoPlatform},
    {kInstaller, "Import resource to TKE platform", "", kNoPlatform},
    {kInstaller, "Install Applications", "install-component-*", ""},
    {kInstaller, "Execute post install hook", "operator-post-install-*", ""},

    {kModule, "GreetingsModule", "", "every run begins with a connection to each host"},
    {kModule, "CustomScriptsModule PreInstall", "pre-install-script-*", ""},
    {kModule, "NodePreCheckModule", "", kChecked},
    {kModule, "InstallConfirmModule", "", "apply asks before it begins, unless --yes is given"},
    {kModule, "UnArchiveModule", "", "a bundle is read in place, never unpacked"},
    {kModule, "os.RepositoryModule", "install-packages", ""},
    {kModule, "NodeBinariesModule", "", "nothing is downloaded: programs come with the bundle"},
    {kModule, "ConfigureOSModule",
     "set-hostname write-hosts-entries load-kernel-modules set-sysctls turn-off-swap raise-limits "
     "sync-time create-users-and-folders set-selinux-mode open-firewall-ports",
     ""},
    {kModule, "kubernetes.StatusModule", "", "each step looks for itself what is there already"},
    {kModule, "InstallContainerModule", "install-container-runtime", ""},
    {kModule, "InstallCriDockerdModule", "", "the runtime is containerd, which needs none"},
    {kModule, "CopyImagesToRegistryModule", "", kNoPush},
    {kModule, "PullModule", "pull-images", ""},
    {kModule, "etcd.PreCheckModule", "", kChecked},
    {kModule, "etcd.CertsModule", "write-etcd-certificates", ""},
    {kModule, "InstallETCDBinaryModule", "install-etcd-programs", ""},
    {kModule, "etcd.ConfigureModule", "start-etcd wait-for-etcd", ""},
    {kModule, "etcd.BackupModule", "backup-etcd", ""},
    {kModule, "InstallKubeBinariesModule", "install-kubernetes start-kubelet", ""},
    {kModule, "KubevipModule", "start-load-balancer", ""},
    {kModule, "InitKubernetesModule",
     "write-audit-policy encrypt-secrets start-control-plane wait-for-api upload-cluster-config",
     ""},
    {kModule, "ClusterDNSModule", "install-dns install-node-dns", ""},
    {kModule, "StatusModule", "", "each step looks for itself what is there already"},
    {kModule, "JoinNodesModule", "join-node", ""},
    {kModule, "HaproxyModule", "start-local-balancer", ""},
    {kModule, "DeployNetworkPluginModule", "install-network-plugin", ""},
    {kModule, "ConfigureKubernetesModule", "join-node", ""},
    {kModule, "ChownModule", "", "kubeconfigs are written with their owner"},
    {kModule, "AutoRenewCertsModule", "renew-certificates-timer", ""},
    {kModule, "SecurityEnhancementModule", "",
     "files, arguments and kubelets are hard from the start"},
    {kModule, "SaveKubeConfigModule", "write-kubeconfig", ""},
    {kModule, "DeployPluginsModule",
     "install-component-kata install-component-node-feature-discovery", ""},
    {kModule, "CustomScriptsModule PostClusterInstall", "post-cluster-ready-script-*", ""},
    {kModule, "AddonsModule", "install-component-*", ""},
    {kModule, "DeployLocalVolumeModule", "prepare-volumes-folder install-local-storage", ""},
    {kModule, "kubesphere.DeployModule", "install-component-kubesphere", ""},
    {kModule, "kubesphere.CheckResultModule", "", "a component is installed once it is ready"},
    {kModule, "CustomScriptsModule PostInstall", "post-install-script-*", ""},
};

}  // namespace

std::vector<std::string> StepAlias::step_ids() const {
    return steps.empty() ? std::vector<std::string>{} : split(steps, ' ');
}

std::span<const StepAlias> step_aliases() { return kAliases; }

std::string plain_alias(std::string_view name) {
    constexpr std::string_view kBefore = "ensure", kFiller = "module";
    std::string out;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z') out += static_cast<char>(c + 32);
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
    }
    if (out.size() > kBefore.size() && out.starts_with(kBefore)) out.erase(0, kBefore.size());
    const std::size_t filler = out.find(kFiller);
    if (filler != std::string::npos && out.size() > kFiller.size())
        out.erase(filler, kFiller.size());
    return out;
}

const StepAlias* find_alias(std::string_view name) {
    const std::string wanted = plain_alias(name);
    const auto found = std::ranges::find_if(
        kAliases, [&](const StepAlias& alias) { return plain_alias(alias.name) == wanted; });
    return found == std::end(kAliases) ? nullptr : found;
}

}  // namespace slipway::cluster
