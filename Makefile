# The front door. `make help` lists what there is; every target does its own set-up.
.DEFAULT_GOAL := help
.PHONY: help setup build check shipped test demo demo-simulated demo-clean bench lint format docs fuzz clean \
        asan asan-build tsan tsan-build scenarios clients lab lab-bundle lint-recent test-full fuzz-short page web pictures

JOBS         ?= $(shell nproc)
FUZZ_SECONDS ?= 60

# Large, reusable output lives outside the checkout: a second clone builds from the first one's cache.
export SLIPWAY_CACHE   ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/slipway
export CCACHE_DIR      ?= $(SLIPWAY_CACHE)/ccache
export CCACHE_BASEDIR  := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export CCACHE_SLOPPINESS := pch_defines,time_macros
export FUZZ_SECONDS

part      := @scripts/part.py
# What the sanitizers need is built ahead while other parts wait (make test): never two at a time in one folder.
build_in   = @flock build/$(1)/.lock scripts/part.py "build $(1)" cmake --build build/$(1) -j $(JOBS)
packages  := build/.packages
ctest     := ctest --no-tests=error --output-on-failure --parallel $(JOBS)
# Some wait for a disk or a child while others compute.
one_more  := --parallel $(shell expr $(JOBS) + 1)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(packages): scripts/packages.txt scripts/setup.sh
	@scripts/setup.sh
	@mkdir -p build && touch $@

setup: ## install the Debian packages that are missing (root or sudo)
	@scripts/setup.sh
	@mkdir -p build && touch $(packages)
	@echo "setup: everything in scripts/packages.txt is installed"

# One rule for each preset of CMakePresets.json: configured once, then ninja looks after itself.
build/%/build.ninja: CMakePresets.json | $(packages)
	$(part) "configure $*" cmake --preset $*
	@touch $@

page: | $(packages) ## the web page that goes into the program: build/page
	$(part) "page" scripts/page.py --into build/page

build: page build/release/build.ninja ## the static program: build/release/bin/slipway
	$(part) "build release" cmake --build build/release --target shipped -j $(JOBS)

check: build build/debug/build.ninja ## unit and simulation tests: the fast part, under 2 minutes once built
	$(part) "build debug" cmake --build build/debug -j $(JOBS)
	$(part) "fast tests" $(ctest) --test-dir build/debug -L fast
	$(part) "shipped program" $(ctest) --test-dir build/release -L shipped

shipped: build ## tests of the program as it is shipped
	$(part) "shipped program" $(ctest) --test-dir build/release -L shipped

# The fast tests run once here, under asan: another build of everything for `check` would say nothing new.
test: $(packages) ## everything: shipped program, page, scenarios, clients, lab, lint, asan, tsan, a short fuzz run
	@scripts/suite.py shipped web scenarios clients lab asan tsan --beside asan-build tsan-build lint-recent fuzz-short

test-full: test lint ## and the whole matrices on the lab's machines, and generated requests to the server
	$(part) "generated requests" $(ctest) --test-dir build/release -L '^full$$'
	$(part) "lab, in full" $(ctest) --parallel 2 --test-dir build/release -L lab-full

lab-bundle: build ## the offline file of the lab (the first time builds all of Kubernetes: some ten minutes)
	$(part) "lab image" lab/lab image
	$(part) "lab bundle" lab/bundle/build
	@lab/bundle/build --path

lab: lab-bundle ## the tests on real machines, those of the lab (root; docs/lab.md)
	$(part) "build lab tests" cmake --build build/release --target slipway_transport -j $(JOBS)
	$(part) "lab" $(ctest) --parallel 2 --test-dir build/release -L '^lab$$'

asan-build: build/asan/build.ninja
	$(call build_in,asan)

asan: asan-build ## the fast tests under AddressSanitizer and UBSan (clang)
	$(part) "fast tests, asan" $(ctest) $(one_more) --test-dir build/asan -L fast

# Suites of the layers that start threads; the others have nothing ThreadSanitizer could see.
threaded := net wire agent store remote engine oci registry server

tsan-build: build/tsan/build.ninja
	$(call build_in,tsan) --target $(threaded:%=%_test)

tsan: tsan-build ## tests of the layers with threads under ThreadSanitizer (clang)
	$(part) "fast tests, tsan" $(ctest) --test-dir build/tsan -R '^($(subst $() ,|,$(threaded)))$$'

# They wait for most of their time: for servers, clocks and processes.
scenarios: build ## whole-program tests of the shipped program: crash suite and the like
	$(part) "scenarios" $(ctest) --test-dir build/release -L slow --parallel 4

web: $(packages) ## the web page: types, components, size; in a browser over a mock of the server
	$(part) "page, types" scripts/page.py check
	$(part) "page, components" scripts/page.py test
	$(part) "page, as built" scripts/page.py build
	$(part) "page, size" scripts/page.py size
	$(part) "page, in a browser" scripts/page.py test:browser

clients: build ## the registry with skopeo, buildah, crane, oras and helm
	$(part) "programs of others" scripts/go_program.py crane oras helm distribution
	$(part) "clients" $(ctest) --test-dir build/release -L clients

fuzz: build/asan/build.ninja ## each fuzz target for FUZZ_SECONDS=60
	$(call build_in,asan) --target fuzzers
	$(part) "fuzz, $(FUZZ_SECONDS) s each" scripts/fuzz.sh

fuzz-short: ## each fuzz target for 6 s
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=6

lint: build/clang/build.ninja ## clang-format, clang-tidy and the rules of the house
	@scripts/lint.py --jobs $(JOBS)

lint-recent: build/clang/build.ninja
	@scripts/lint.py --jobs $(JOBS) --recent

format: $(packages) ## clang-format over the sources
	@git ls-files -z --cached --others --exclude-standard '*.cpp' '*.hpp' | xargs -0 clang-format-19 -i

docs: build/debug/build.ninja ## write the generated pages of docs/ anew
	$(part) "build debug" cmake --build build/debug -j $(JOBS)
	$(part) "write docs" env SLIPWAY_WRITE_DOCS=1 $(ctest) --test-dir build/debug -L fast

pictures: lab-bundle ## pictures of every screen for docs/page, from the page's tests on a machine of the lab (root)
	$(part) "pictures of the page" env SLIPWAY_PICTURES=$(CURDIR)/docs/page $(ctest) --parallel 1 --test-dir build/release \
		-R '^(server-page|clusters-page)$$'

demo: lab-bundle ## a real cluster on 3 lab machines (root); HA=1: 3 control planes, 2 workers. They stay
	@scripts/demo.sh

demo-simulated: build ## apply on simulated hosts: kill it, resume it; files stay in .demo-simulated/
	@scripts/demo_simulated.sh

demo-clean: ## remove what the demos made, machines as well
	@scripts/demo.sh --clean
	@rm -rf .demo-simulated

bench: lab-bundle ## measure, and write docs/benchmarks*.md
	$(part) "build bench" cmake --build build/release -j $(JOBS) --target slipway_bench slipway_transport slipway_pull \
		slipway_sparse_bundle
	$(part) "programs of others" scripts/go_program.py crane distribution
	@build/release/bin/slipway_bench --write docs/benchmarks.md
	@bench/images.py build/release/bin --write docs/benchmarks-images.md
	@bench/hosts.py build/release/bin --write docs/benchmarks-hosts.md
	@bench/clusters.py build/release/bin --write docs/benchmarks-clusters.md
	@bench/server.py build/release/bin --write docs/benchmarks-server.md

clean: ## remove build/ (packages and the compiler cache stay)
	@rm -rf build
