#ifndef CPUSH_SQLITE_SHIM_H
#define CPUSH_SQLITE_SHIM_H

#ifndef __linux__
#error "supervised-push runs on Linux: see docs/support.md"
#elif !__has_include(<sqlite3.h>)
#error "libsqlite3-dev is missing: install it (Debian: apt install libsqlite3-dev), or run scripts/setup.sh"
#else

#include <sqlite3.h>

// SQLite's constant is a cast to a function pointer, which Swift cannot import: the bytes are copied at once.

static inline int cpush_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int cpush_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

#endif
#endif
