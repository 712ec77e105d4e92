#ifndef CPUSH_OPENSSL_SHIM_H
#define CPUSH_OPENSSL_SHIM_H

#ifndef __linux__
#error "supervised-push runs on Linux: see docs/support.md"
#elif !__has_include(<openssl/ssl.h>)
#error "libssl-dev is missing: install it (Debian: apt install libssl-dev), or run scripts/setup.sh"
#else

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/params.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// OpenSSL offers these as macros, which Swift cannot import.

/// TLS 1.2 or newer, no renegotiation, no compression; buffers of an idle connection are given back; HTTP/2's
/// permitted TLS 1.2 suites only (RFC 9113, section 9.2.2); no session cache of OpenSSL's.
static inline int cpush_ctx_harden(SSL_CTX *ctx) {
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    return SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1
        && SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
}

/// A client's sessions go to the callback and nowhere else.
static inline void cpush_ctx_hand_out_sessions(SSL_CTX *ctx, int (*take)(SSL *, SSL_SESSION *)) {
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ctx, take);
}

static inline int cpush_ctx_add_chain_certificate(SSL_CTX *ctx, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(ctx, certificate);
}

static inline int cpush_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline void cpush_bio_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }

static inline void cpush_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

/// Has an ECDSA signature made with the nonce of RFC 6979, which OpenSSL 3.2 and newer can ("nonce-type": 1).
static inline int cpush_sign_alike(EVP_PKEY_CTX *context) {
    unsigned int nonce = 1;
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_uint("nonce-type", &nonce), OSSL_PARAM_construct_end()};
    return EVP_PKEY_CTX_set_params(context, parameters);
}

static inline void cpush_free(void *pointer) { OPENSSL_free(pointer); }

static inline int cpush_certificate_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }

/// Borrowed from the stack.
static inline X509 *cpush_certificate_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }

static inline void cpush_free_certificates(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

#endif
#endif
