#ifndef CPUSH_SYSTEM_SHIM_H
#define CPUSH_SYSTEM_SHIM_H

// What Swift's Glibc leaves out.

#include <fcntl.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/timex.h>

/// accept4 gives descriptors that children do not inherit. Declared here without <sys/socket.h>, whose types would
/// otherwise belong to two modules; on Linux its flags are those of open.
struct sockaddr;
extern int accept4(int, struct sockaddr *, unsigned int *, int);

static inline int cpush_accept(int listener) { return accept4(listener, NULL, NULL, O_NONBLOCK | O_CLOEXEC); }

/// Asks the processor to bring a line into its cache. A hint: any address is allowed.
static inline void push_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
