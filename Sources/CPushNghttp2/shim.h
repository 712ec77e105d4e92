#ifndef CPUSH_NGHTTP2_SHIM_H
#define CPUSH_NGHTTP2_SHIM_H

#ifndef __linux__
#error "supervised-push runs on Linux: see docs/support.md"
#elif !__has_include(<nghttp2/nghttp2.h>)
#error "libnghttp2-dev is missing: install it (Debian: apt install libnghttp2-dev), or run scripts/setup.sh"
#else

// The functions without the suffix 2 are in every version since 1.52; newer ones may mark them deprecated.
#define NGHTTP2_NO_SSIZE_T_WARNING 1
// malloc_usable_size, which Swift's C library module leaves out.
#include <malloc.h>
#include <nghttp2/nghttp2.h>

// Distributions carry this function in patched versions of 1.52, upstream has it since 1.61. A library without it has
// no such limit either. The declaration is weak so that one build runs with both.
extern void nghttp2_option_set_max_continuations(nghttp2_option *option, size_t val) __attribute__((weak));

/// Bounds the CONTINUATION frames behind one HEADERS frame, where the library can.
static inline void cpush_option_set_max_continuations(nghttp2_option *option, size_t limit) {
    if (nghttp2_option_set_max_continuations) nghttp2_option_set_max_continuations(option, limit);
}

/// Accepts a field whose value begins or ends with a blank. RFC 9113 calls that malformed, and every browser reads it.
/// 1.50 introduced the rule and the option; a library without the option has no such rule either.
static inline void cpush_option_accept_outer_blanks(nghttp2_option *option) {
#if NGHTTP2_VERSION_NUM >= 0x013200
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1);
#else
    (void)option;
#endif
}

#endif
#endif
