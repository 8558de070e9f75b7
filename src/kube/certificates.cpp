#include "base/error.hpp"
#include "kube/overview.hpp"
#include "net/failure.hpp"
#include "net/peer_certificate.hpp"
#include "pki/certificate.hpp"

#include <atomic>
#include <thread>

namespace slipway::kube {

namespace {

constexpr std::size_t kAtOnce = 16;

struct Question {
    CertificateRow row = {};
    std::string address = {};
    std::uint16_t port = 0;
};

std::vector<Question> questions(const std::vector<NodeRow>& nodes) {
    std::vector<Question> out;
    for (const NodeRow& node : nodes) {
        const auto ask = [&](const char* what, std::uint16_t port) {
            out.push_back({{.what = what, .where = node.name}, node.address, port});
        };
        if (node.roles.find("control-plane") != std::string::npos) {
            ask("API server", 6443);
            ask("etcd", 2379);
        }
        ask("kubelet", 10250);
    }
    return out;
}

void answer(Question& question, net::Millis patience) {
    try {
        const std::string pem =
            net::peer_certificate(question.address, question.port, net::Deadline::after(patience));
        question.row.ends_ms = pki::read_certificate(pem).not_after_ms;
    } catch (const net::Failure& failure) {
        question.row.unknown = failure.what();
    } catch (const Error& failure) {
        question.row.unknown = failure.what();
    }
}

void answer_all(std::vector<Question>& all, net::Millis patience) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < std::min(kAtOnce, all.size()); ++i) {
        threads.emplace_back([&] {
            for (std::size_t mine = next++; mine < all.size(); mine = next++)
                answer(all[mine], patience);
        });
    }
}

CertificateRow row_of(const char* what, const std::string& pem) {
    CertificateRow out{.what = what};
    try {
        out.ends_ms = pki::read_certificate(pem).not_after_ms;
    } catch (const Error& failure) {
        out.unknown = failure.what();
    }
    return out;
}

}  // namespace

std::vector<CertificateRow> certificates(const Access& access, const std::vector<NodeRow>& nodes,
                                         net::Millis patience) {
    std::vector<CertificateRow> out = {row_of("CA", access.ca_pem)};
    if (!access.client_certificate.empty())
        out.push_back(row_of("administrator", access.client_certificate));
    std::vector<Question> all = questions(nodes);
    answer_all(all, patience);
    for (Question& one : all) {
        // A cluster whose etcd is elsewhere has none here.
        if (one.row.what == "etcd" && !one.row.unknown.empty()) continue;
        out.push_back(std::move(one.row));
    }
    return out;
}

}  // namespace slipway::kube
