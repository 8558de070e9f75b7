#include "base/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway {

namespace {

std::string parts(const std::string& text) {
    const Url url = Url::parse(text);
    return std::string(url.tls ? "tls " : "") + url.host + " " + std::to_string(url.port) + " " +
           url.target;
}

std::string refused(const std::string& text) {
    try {
        return "accepted " + parts(text);
    } catch (const BadUrl&) {
        return "refused";
    }
}

TEST(Url, HasItsParts) {
    EXPECT_EQ(parts("http://reg.example/a/b?c=d#e"), "reg.example 80 /a/b?c=d");
    EXPECT_EQ(parts("https://10.0.0.5:5000"), "tls 10.0.0.5 5000 /");
    EXPECT_EQ(parts("https://[fd00::5]/x"), "tls fd00::5 443 /x");
    EXPECT_EQ(parts("http://[fd00::5]:81?q"), "fd00::5 81 /?q");
}

TEST(Url, IsShownWithoutItsQuery) {
    EXPECT_EQ(Url::parse("https://r.example:443/f?X-Signature=s").shown(), "https://r.example/f");
    EXPECT_EQ(Url::parse("http://[fd00::5]:81/").authority(), "[fd00::5]:81");
}

TEST(Url, OfAnotherShapeIsRefused) {
    for (const char* bad :
         {"", "ftp://a/", "http:/a", "http://", "http:///x", "http://a:0/", "http://a:65536/",
          "http://a:/", "http://a:b/", "http://user:pw@a/", "http://[fd00::5/",
          "http://[10.0.0.1]/", "http://[::1]x/", "http://-a/", "http://a b/", "http://a/\r\nX: y",
          "http://a/\xc3\xa4", "http://fd00::5/", "HTTP://a/"}) {
        EXPECT_EQ(refused(bad), "refused") << bad;
    }
    EXPECT_EQ(refused("http://a/" + std::string(9000, 'x')), "refused");
}

TEST(Url, RedirectsAreReadFromWhereTheyCame) {
    const Url from = Url::parse("http://a.example:8080/x/y?z=1");
    const auto to = [&](const char* location) { return from.redirected_to(location).shown(); };
    EXPECT_EQ(to("https://b.example/c"), "https://b.example/c");
    EXPECT_EQ(to("//b.example/c"), "http://b.example/c");
    EXPECT_EQ(to("/c"), "http://a.example:8080/c");
    EXPECT_EQ(to("c/d"), "http://a.example:8080/x/c/d");
    EXPECT_EQ(from.redirected_to("?q=2").target, "/x/y?q=2");
    EXPECT_EQ(from.redirected_to("c?u=http://evil").target, "/x/c?u=http://evil");
    EXPECT_TRUE(from.redirected_to("/c").same_origin(from));
    EXPECT_FALSE(from.redirected_to("http://a.example/").same_origin(from));
    EXPECT_THROW(from.redirected_to("javascript:x"), BadUrl);
    EXPECT_THROW(Url::parse("https://a/").redirected_to("http://a/"), BadUrl);
}

}  // namespace

}  // namespace slipway
