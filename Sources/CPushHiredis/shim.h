#ifndef CPUSH_HIREDIS_SHIM_H
#define CPUSH_HIREDIS_SHIM_H

#ifndef __linux__
#error "supervised-push runs on Linux: see docs/support.md"
#elif !__has_include(<hiredis/hiredis.h>)
#error "libhiredis-dev is missing: install it (Debian: apt install libhiredis-dev), or run scripts/setup.sh"
#else

// Only the reader: bytes in, replies out. It is the same in 0.14 and 1.x, but for the types of two fields, which the
// functions below hide.
#include <stddef.h>
#include <hiredis/hiredis.h>

/// Receives one text: a string, a status or an error (REDIS_REPLY_…). Arguments: context, type, bytes, count.
typedef void (*cpush_redis_text)(void *, int, const char *, size_t);
/// Receives one number. For an array it is the number of elements, which follow; for a null it is 0.
typedef void (*cpush_redis_number)(void *, int, long long);

/// What a reader calls, and with what. It must live as long as the reader.
typedef struct {
    cpush_redis_text text;
    cpush_redis_number number;
    void *context;
} cpush_redis_sink;

// The reader wants an object for each reply and tests it for NULL only. The sink's address stands for all of them.

static inline void *cpush_redis_string(const redisReadTask *task, char *bytes, size_t count) {
    cpush_redis_sink *sink = (cpush_redis_sink *)task->privdata;
    sink->text(sink->context, task->type, bytes, count);
    return sink;
}

#if defined(HIREDIS_MAJOR) && HIREDIS_MAJOR >= 1
static inline void *cpush_redis_array(const redisReadTask *task, size_t count) {
#else
static inline void *cpush_redis_array(const redisReadTask *task, int count) {
#endif
    cpush_redis_sink *sink = (cpush_redis_sink *)task->privdata;
    sink->number(sink->context, task->type, (long long)count);
    return sink;
}

static inline void *cpush_redis_integer(const redisReadTask *task, long long value) {
    cpush_redis_sink *sink = (cpush_redis_sink *)task->privdata;
    sink->number(sink->context, task->type, value);
    return sink;
}

static inline void *cpush_redis_nil(const redisReadTask *task) {
    cpush_redis_sink *sink = (cpush_redis_sink *)task->privdata;
    sink->number(sink->context, REDIS_REPLY_NIL, 0);
    return sink;
}

static inline void cpush_redis_free(void *object) { (void)object; }

/// The functions of a reader whose privdata is a `cpush_redis_sink`. Version 1 has more of them, for RESP3, which a
/// server does not speak unless it is asked to. They stay NULL: the reader accepts that.
static inline void cpush_redis_fill(redisReplyObjectFunctions *functions) {
    functions->createString = cpush_redis_string;
    functions->createArray = cpush_redis_array;
    functions->createInteger = cpush_redis_integer;
    functions->createNil = cpush_redis_nil;
    functions->freeObject = cpush_redis_free;
}

static inline void cpush_redis_attach(redisReader *reader, cpush_redis_sink *sink) { reader->privdata = sink; }

/// What is wrong with the bytes, in the reader's words.
static inline const char *cpush_redis_reason(const redisReader *reader) { return reader->errstr; }

#endif
#endif
