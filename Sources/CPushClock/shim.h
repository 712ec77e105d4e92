#ifndef CPUSH_CLOCK_SHIM_H
#define CPUSH_CLOCK_SHIM_H

// Swift's Glibc does not include it.
#include <sys/timex.h>

#endif
