/// A proxy's failures, each with its own code and a sentence that says what to do. None shows a password.
struct ProxyErrors {
    let proxy: ProxyServer
    let target: Endpoint

    private func error(_ code: TransportError.Code, _ what: String, _ advice: String) -> TransportError {
        TransportError(layer: .proxy, code: code, sentence: "The proxy \(proxy) \(what). \(advice)")
    }

    /// It was never reached, for this reason.
    func unreachable(_ cause: TransportError) -> TransportError {
        TransportError(
            layer: .proxy, code: cause.code, sentence: "The proxy \(proxy) was not reached. \(cause.sentence)")
    }

    /// It wants a user name and a password, or others than it was given.
    ///
    /// - Parameter scheme: what it wants in place of them, if nothing we have.
    func authentication(offering scheme: String? = nil) -> TransportError {
        if let scheme {
            return error(
                .proxyAuthentication, "wants \(scheme)",
                "Only a user name and a password can be given: have it take those.")
        }
        return proxy.login == nil
            ? error(.proxyAuthentication, "wants a user name and a password", "Give them with the proxy's URL.")
            : error(.proxyAuthentication, "refused the user name or the password", "Check both.")
    }

    /// HTTP's answer to CONNECT.
    func status(_ status: Int) -> TransportError {
        let what = "answered \(status) to CONNECT \(target)"
        switch status {
        case 403:
            return error(.proxyForbidden, what, "Have it allow connections to this host and port.")
        case 502, 503, 504:
            return error(.proxyBadGateway, what, "It did not reach the host: check the proxy's own network and DNS.")
        default:
            return error(.proxyRefused, what, "Check that it makes tunnels (CONNECT), and to this port.")
        }
    }

    /// A reply of SOCKS (RFC 1928 section 6).
    func socksReply(_ reply: UInt8) -> TransportError {
        let (code, text): (TransportError.Code, String) =
            switch reply {
            case 1: (.socksFailure, "general failure")
            case 2: (.socksNotAllowed, "not allowed by its rules")
            case 3: (.socksNetworkUnreachable, "network unreachable")
            case 4: (.socksHostUnreachable, "host unreachable")
            case 5: (.socksConnectionRefused, "connection refused")
            case 6: (.socksTTLExpired, "TTL expired")
            case 7: (.socksCommandNotSupported, "command not supported")
            case 8: (.socksAddressNotSupported, "address type not supported")
            default: (.proxyRefused, "reply \(reply)")
            }
        let advice =
            switch reply {
            case 2: "Have it allow connections to this host and port."
            case 7, 8: "Use another proxy."
            default: "Check the proxy's own network and DNS."
            }
        return error(code, "did not connect to \(target): \(text)", advice)
    }

    var closed: TransportError {
        error(.proxyClosed, "closed the connection before the tunnel stood", "Look into its log.")
    }

    func broken(_ number: Int32) -> TransportError {
        error(
            .system(number), "broke the connection before the tunnel stood: \(errnoText(number))", "Look into its log.")
    }

    /// - Parameter protocolName: what its answer is not.
    func malformed(_ protocolName: String) -> TransportError {
        error(.proxyMalformed, "answered what is not \(protocolName)", "Check its URL: scheme, host and port.")
    }

    var tooLong: TransportError {
        error(.proxyTooLong, "answered with a head over 16 KiB or 100 lines", "Check its URL: scheme, host and port.")
    }

    /// What cannot be asked for.
    func unaskable(_ what: String) -> TransportError {
        TransportError(
            layer: .proxy, code: .invalidEndpoint, sentence: "The proxy \(proxy) cannot be asked for it: \(what).")
    }
}
