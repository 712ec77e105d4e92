#ifndef CPUSH_MEMORY_SHIM_H
#define CPUSH_MEMORY_SHIM_H

// Asks the processor to bring a line into its cache. A hint: any address is allowed.
static inline void push_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
