#include "pki/renew.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::pki {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kNow = 1'800'000'000'000, kDay = 24ll * 3600 * 1000;
constexpr int kBefore = 30;

class WhyRenew : public ::testing::Test {
  protected:
    std::string why(const Request& asked, std::int64_t at = kNow) const {
        return why_renew(own_.certificate, asked, ca_.certificate(), at, kBefore);
    }

    Request request_ = {.common_name = "kube-apiserver",
                        .organizations = {"a", "b"},
                        .names = {"kubernetes", "10.96.0.1", "fd00::1"},
                        .usage = Usage::server,
                        .days = 365};
    Authority ca_ = Authority::make("ca", 10, kNow);
    KeyPair own_ = ca_.issue(request_, kNow);
};

TEST_F(WhyRenew, NotWhenItIsAsAskedFor) {
    EXPECT_EQ(why(request_), "");
    EXPECT_EQ(why(request_, kNow + (365 - kBefore) * kDay - 1), "");
    // Whatever the order, the spelling, or what a chain adds behind it.
    Request same = request_;
    same.names = {"FD00:0:0::1", "Kubernetes", "10.96.0.1", "kubernetes"};
    same.organizations = {"b", "a"};
    EXPECT_EQ(why(same), "");
    EXPECT_EQ(why_renew("note\n" + own_.certificate + ca_.certificate(), same, ca_.certificate(),
                        kNow, kBefore),
              "");
}

TEST_F(WhyRenew, ForOtherContent) {
    Request other = request_;
    other.names.emplace_back("10.0.0.10");
    EXPECT_EQ(why(other), "it does not name 10.0.0.10");
    other = request_;
    other.names = {"kubernetes", "10.96.0.1"};
    EXPECT_EQ(why(other), "it still names fd00::1");
    other = request_;
    other.common_name = "etcd";
    EXPECT_EQ(why(other), "it is for kube-apiserver, not for etcd");
    other = request_;
    other.organizations = {"b"};
    EXPECT_EQ(why(other), "its organizations are [a, b], not [b]");
    other = request_;
    other.usage = Usage::both;
    EXPECT_EQ(why(other), "it is not for a client");
    other.usage = Usage::client;
    EXPECT_EQ(why(other), "it may be used as a server's");
    other.days = 7;  // counts for new ones
    other.usage = Usage::server;
    EXPECT_EQ(why(other), "");
}

TEST_F(WhyRenew, ForAnotherAuthorityEvenOfTheSameName) {
    const Authority same_name = Authority::make("ca", 10, kNow);
    const Authority other_name = Authority::make("other", 10, kNow);
    for (const Authority* other : {&same_name, &other_name})
        EXPECT_THAT(why_renew(own_.certificate, request_, other->certificate(), kNow, kBefore),
                    HasSubstr("signed by another authority"));
}

TEST_F(WhyRenew, ForItsAge) {
    EXPECT_THAT(why(request_, kNow + (365 - kBefore) * kDay), HasSubstr("it ends on 2028-01-"));
    EXPECT_THAT(why(request_, kNow + 365 * kDay), HasSubstr("it has ended on 2028-01-"));
    EXPECT_THAT(why(request_, kNow - 2 * kDay), HasSubstr("it is not valid before"));
}

TEST_F(WhyRenew, ForWhatIsNoCertificate) {
    for (const std::string& text : {std::string(), std::string("x"), own_.certificate.substr(9)})
        EXPECT_THAT(why_renew(text, request_, ca_.certificate(), kNow, kBefore),
                    HasSubstr("it cannot be read"));
    EXPECT_EQ(why_renew(ca_.certificate(), request_, ca_.certificate(), kNow, kBefore),
              "it is the certificate of an authority");
    EXPECT_THROW(why_renew(own_.certificate, request_, "no CA", kNow, kBefore), UserError);
}

// A second run of the same spec must find nothing to do.
TEST_F(WhyRenew, NotWhenANewOneWouldBeNoBetter) {
    Request brief = request_;
    brief.days = 10;
    own_ = ca_.issue(brief, kNow);
    EXPECT_EQ(why(brief, kNow + kDay), "");
    EXPECT_THAT(why(brief, kNow + 6 * kDay), HasSubstr("it ends on"));

    ca_ = Authority::make("ca", 1, kNow);
    own_ = ca_.issue(request_, kNow + 20 * kDay);
    EXPECT_EQ(why(request_, kNow + 360 * kDay), "");
    EXPECT_THAT(why(request_, kNow + 365 * kDay), HasSubstr("it has ended"));
}

}  // namespace
}  // namespace slipway::pki
