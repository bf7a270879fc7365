# SPDX-License-Identifier: Apache-2.0
# A thin door: meson and ninja do the work, scripts/ sees to what they need.
#
#   make              build/cairn, the library and the manual pages
#   make demo         a look at a real trace
#   make test         every test; `make test-cli`, `make test-unit` … one suite
#   make faults       fail every allocation and system call once; a signal at each
#   make test-long    hours: other machines, ThreadSanitizer, faults at every place
#   make coverage     how much of each room the tests run
#   make bench        measure; make fuzz: FUZZ_SECONDS=60 for each target
#   make install      PREFIX=/usr/local DESTDIR=
#   make clean        remove every build folder
#
# Build folders: build (to use), build-test (warnings are errors),
# build-release (measuring), build-fuzz (clang, libFuzzer, sanitizers).

MESON  ?= meson
NINJA  ?= ninja
PREFIX ?= /usr/local
SETUP   = bash scripts/setup.sh

.PHONY: all build demo test test-long faults coverage bench fuzz record install uninstall clean test-build
all: build

# $(call configure,FOLDER,OPTIONS): once; ninja itself notices changed files.
configure = test -f $(1)/build.ninja || $(MESON) setup $(2) $(1)

build:
	@$(SETUP) build
	@$(call configure,build,--prefix=$(PREFIX) -Dtests=disabled)
	@$(NINJA) -C build

demo: build
	@bash scripts/demo.sh build/cairn

test-build:
	@$(SETUP) build test
	@$(call configure,build-test,-Dwerror=true -Dtests=enabled)
	@$(NINJA) -C build-test

# A build that fails is a failure like any other, and counted.
test:
	@$(MAKE) --no-print-directory test-build || \
		{ echo "0 passed, 1 failed, 0 skipped"; exit 1; }
	@bash scripts/run-tests.sh build-test

# UPDATE=1 make test-cli rewrites the expectations of the golden tests.
test-%: test-build
	@VERBOSE=1 bash scripts/run-tests.sh build-test $*

# STAGES="armhf faults": only these.
test-long: test-build
	@bash scripts/test-long.sh $(STAGES)

# FAULTS_STRIDE=1 is every place, FAULTS=view only commands with that text.
faults: test-build
	@EXAMPLES=$(CURDIR)/examples build-test/tests/faults/faults build-test/tests/faults/faults-preload.so \
		build-test/cairn $(or $(FAULTS_STRIDE),1) $(FAULTS)

# How much of each room the tests run; SUITES="unit cli".
coverage:
	@$(SETUP) build test coverage
	@test -f build-coverage/build.ninja || $(MESON) setup build-coverage -Dtests=enabled \
		-Db_coverage=true -Doptimization=0 -Dc_args=-fprofile-update=atomic
	@$(NINJA) -C build-coverage
	@bash scripts/coverage.sh build-coverage $(SUITES)

bench:
	@$(SETUP) build
	@$(call configure,build-release,--buildtype=release -Db_ndebug=true -Dtests=disabled)
	@$(NINJA) -C build-release
	@bash scripts/bench.sh build-release

fuzz:
	@$(SETUP) build clang
	@test -f build-fuzz/build.ninja || CC=clang $(MESON) setup build-fuzz \
		-Dfuzz=true -Dtests=disabled -Db_sanitize=address,undefined -Db_lundef=false
	@$(NINJA) -C build-fuzz
	@bash scripts/fuzz.sh build-fuzz

# Record the traces in examples/ again; nobody needs to.
record: build
	@$(SETUP) record
	@bash scripts/record.sh build/cairn

install: build
	@grep -qxF '$(PREFIX)' build/prefix 2>/dev/null || \
		{ $(MESON) configure build -Dprefix=$(PREFIX) && $(NINJA) -C build && \
		echo '$(PREFIX)' > build/prefix; }
	@DESTDIR=$(DESTDIR) $(MESON) install -C build --no-rebuild --quiet
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

uninstall:
	@$(NINJA) -C build uninstall

clean:
	rm -rf build build-*
