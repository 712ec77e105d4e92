#ifndef CPUSH_SOCKETS_SHIM_H
#define CPUSH_SOCKETS_SHIM_H

// What Swift's Glibc leaves out.

#include <fcntl.h>
#include <stddef.h>
#include <sys/epoll.h>

/// accept4 gives descriptors that children do not inherit. Declared here without <sys/socket.h>, whose types would
/// otherwise belong to two modules; on Linux its flags are those of open.
struct sockaddr;
extern int accept4(int, struct sockaddr *, unsigned int *, int);

static inline int cpush_accept(int listener) { return accept4(listener, NULL, NULL, O_NONBLOCK | O_CLOEXEC); }

#endif
