/// The failures of a proxy, each with its own code and a sentence that says what to do. They never contain a password.
struct ProxyErrors {
    let proxy: ProxyServer
    let target: Endpoint

    private func error(_ code: TransportError.Code, _ what: String, advice: String) -> TransportError {
        TransportError(layer: .proxy, code: code, sentence: "The proxy \(proxy) \(what). \(advice)")
    }

    /// The proxy was not reached, for this reason.
    func unreachable(_ cause: TransportError) -> TransportError {
        TransportError(
            layer: .proxy, code: cause.code, sentence: "The proxy \(proxy) was not reached. \(cause.sentence)")
    }

    /// The proxy requires a user name and a password, or rejected those it got.
    ///
    /// - Parameter scheme: The scheme that it requires, if we do not support it.
    func authentication(offering scheme: String? = nil) -> TransportError {
        if let scheme {
            return error(
                .proxyAuthentication, "requires \(scheme)",
                advice: "Only a user name and a password are supported: configure it to accept them.")
        }
        return proxy.login == nil
            ? error(
                .proxyAuthentication, "requires a user name and a password", advice: "Give them with the proxy's URL.")
            : error(.proxyAuthentication, "refused the user name or the password", advice: "Check both.")
    }

    /// HTTP's answer to CONNECT.
    func status(_ status: Int) -> TransportError {
        let what = "answered \(status) to CONNECT \(target)"
        switch status {
        case 403:
            return error(.proxyForbidden, what, advice: "Configure it to allow connections to this host and port.")
        case 502, 503, 504:
            return error(
                .proxyBadGateway, what, advice: "It did not reach the host: check the proxy's own network and DNS.")
        default:
            return error(.proxyRefused, what, advice: "Check that it allows CONNECT, and to this port.")
        }
    }

    /// A reply of SOCKS (RFC 1928, section 6).
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
            case 2: "Configure it to allow connections to this host and port."
            case 7, 8: "Use another proxy."
            default: "Check the proxy's own network and DNS."
            }
        return error(code, "did not connect to \(target): \(text)", advice: advice)
    }

    var closed: TransportError {
        error(.proxyClosed, "closed the connection before the tunnel was open", advice: "Check its log.")
    }

    func broken(_ number: Int32) -> TransportError {
        error(
            .system(number), "broke the connection before the tunnel was open: \(errnoText(number))",
            advice: "Check its log.")
    }

    /// - Parameter protocolName: The protocol that the answer does not follow.
    func malformed(_ protocolName: String) -> TransportError {
        error(
            .proxyMalformed, "replied with something that is not \(protocolName)",
            advice: "Check its URL: scheme, host and port.")
    }

    var tooLong: TransportError {
        error(
            .proxyTooLong, "replied with a head of more than 16 KiB or 100 lines",
            advice: "Check its URL: scheme, host and port.")
    }

    /// The request to the proxy cannot be made.
    func unaskable(_ what: String) -> TransportError {
        TransportError(
            layer: .proxy, code: .invalidEndpoint,
            sentence: "The proxy \(proxy) cannot be asked for a tunnel: \(what).")
    }
}
