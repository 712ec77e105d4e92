#ifndef CPUSH_NGHTTP2_SHIM_H
#define CPUSH_NGHTTP2_SHIM_H

// The functions without the suffix 2 are in every version since 1.52; newer ones may mark them deprecated.
#define NGHTTP2_NO_SSIZE_T_WARNING 1
#include <nghttp2/nghttp2.h>

#endif
