# awa_ring is built with PGXS. The usual targets: all, install, installcheck, unit, check-rooms, stress, bench, replay.
#
#   make PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config
#   make install
#   make installcheck      # needs no running server: it starts a temporary one

EXTENSION   = awa_ring
EXTVERSION  = 0.1.0
MODULE_big  = awa_ring

# A normal build does without these, and no other file knows of pause points and planted faults but by their macros.
TEST_ONLY   = $(addprefix src/pg/,guard_self_test.cpp pause_point.cpp planted_fault.cpp)
SOURCES     = $(filter-out $(if $(PAUSE_POINTS),,$(TEST_ONLY)),$(sort $(wildcard src/*/*.cpp)))
OBJS        = $(SOURCES:.cpp=.o)
INSTALL_SQL = sql/$(EXTENSION)--$(EXTVERSION).sql
SQL_PARTS   = $(addprefix sql/,$(shell grep -v '^\#' sql/install.list))
DATA        = $(wildcard sql/$(EXTENSION)--*--*.sql)
DATA_built  = $(INSTALL_SQL)

REGRESS     = $(shell cat test/regress.list)
# With pause points, the specs that need them as well.
ISOLATION   = $(shell cat test/isolation.list $(if $(PAUSE_POINTS),test/paused.list))
REGRESS_OPTS   = --inputdir=test --outputdir=test/results --temp-instance=test/tmp_regress --temp-config=test/server.conf
ISOLATION_OPTS = --inputdir=test --outputdir=test/results --temp-instance=test/tmp_isolation --temp-config=test/server.conf
EXTRA_CLEAN = $(SOURCES:.cpp=.d) test/results test/tmp_regress test/tmp_isolation build

PG_CONFIG ?= pg_config
# Bitcode would buy nothing: the extension is never inlined into a query.
override with_llvm = no

WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wcast-qual \
           -Wnull-dereference -Wnon-virtual-dtor -Woverloaded-virtual -Werror
# Only g++ knows -Wclobbered, the warning for a variable that a longjmp may spoil.
ifeq ($(findstring clang,$(CXX)),)
WARNINGS += -Wclobbered
else
# PostgreSQL was configured with g++ and passes its warnings on; its macros use extensions that -Wpedantic names, and count in
# volatile variables.
WARNINGS += -Wno-unknown-warning-option -Wno-gnu-statement-expression -Wno-deprecated-volatile
endif
# Headers of PostgreSQL and Boost are system headers: their warnings are not ours.
PG_CPPFLAGS = -Isrc -isystem $(shell $(PG_CONFIG) --includedir-server)
# The worker compares it with the version that is installed in its database.
PG_CPPFLAGS += -DAWA_VERSION='"$(EXTVERSION)"'
PG_CXXFLAGS = -std=c++20 -fno-rtti -fvisibility=hidden -fvisibility-inlines-hidden -MMD -MP $(WARNINGS)
# PAUSE_POINTS=1: a build for tests, which can be made to wait at named places and to commit bugs (docs/development.md).
ifneq ($(PAUSE_POINTS),)
PG_CPPFLAGS += -DAWA_PAUSE_POINTS
endif
SHLIB_LINK  = -lstdc++
# COVERAGE=1: a build that counts which lines run (test/run --coverage).
ifneq ($(COVERAGE),)
PG_CXXFLAGS += -O0 --coverage -fprofile-update=atomic -Wno-cpp
SHLIB_LINK  += --coverage
endif
# SANITIZE=1: a build for a server that has libasan preloaded (test/run --sanitize). It has warnings that are not to be had
# right: the checks that it adds are code too.
ifneq ($(SANITIZE),)
PG_CXXFLAGS += -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize=vptr -Wno-error
SHLIB_LINK  += -fsanitize=address,undefined
endif

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)
# PGXS collects warnings meant for C; the list above is the whole list for C++.
override CXXFLAGS := $(filter-out -Wdeclaration-after-statement -Wmissing-prototypes,$(CXXFLAGS))

-include $(OBJS:.o=.d)

# Objects are of one PostgreSQL: another PG_CONFIG makes them anew. (Its headers are not among the dependencies.)
BUILT_FOR := build/built-for
$(shell mkdir -p build; echo '$(PG_CONFIG) $(VERSION) $(CXX) $(SANITIZE) $(COVERAGE)' | cmp -s - $(BUILT_FOR) || echo '$(PG_CONFIG) $(VERSION) $(CXX) $(SANITIZE) $(COVERAGE)' > $(BUILT_FOR))
$(OBJS): $(BUILT_FOR)
# Likewise with and without pause points, for the objects that have some.
WITH_PAUSES := build/with-pauses
$(shell echo '$(PAUSE_POINTS)' | cmp -s - $(WITH_PAUSES) || echo '$(PAUSE_POINTS)' > $(WITH_PAUSES))
$(patsubst %.cpp,%.o,$(shell grep -lE 'pg/(pause_point|planted_fault).hpp' $(SOURCES))): $(WITH_PAUSES)
awa_ring.so: $(WITH_PAUSES)

# The script of a version is the concatenation of its parts: one object, or one family, a file.
$(INSTALL_SQL): sql/install.list $(SQL_PARTS)
	@{ printf '%s\n' '\echo Use "CREATE EXTENSION $(EXTENSION)" to load this file. \quit'; cat $(SQL_PARTS); } > $@

.PHONY: objects unit check-rooms format stress bench replay lint coverage
# Without the library.
objects: $(OBJS)

# The core's tests: no PostgreSQL include path, which proves that the core is pure.
unit:
	$(MAKE) -C test/unit check

check-rooms:
	tools/check-rooms

# Real requests replayed: make replay ARGUMENTS='--speed 30 --workers 4'
replay:
	bench/replay $(ARGUMENTS)

# Random operations of many sessions against a model, on a throw-away server. SEED= plans the same run again.
stress:
	AWA_SEED='$(SEED)' test/run --keep-failed --only stress:operations --stress $(or $(SECONDS),60)

# Beside others, in one run: make bench; make bench CELL='work_1 pinned' ARGUMENTS='--rounds 3 --out FOLDER'
bench:
	bench/run $(if $(CELL),$(addprefix --cell ,$(CELL)),--all) $(ARGUMENTS)

lint:
	PG_CONFIG='$(PG_CONFIG)' tools/lint

# Which lines the tests on a server run, file by file.
coverage:
	test/run --coverage

format:
	clang-format -i $(shell git ls-files 'src/*.hpp' 'src/*.cpp' 'test/unit/*.cpp')
