import PushHTTP2

extension PushRequest {
    init(_ request: Request, keepingHeaders: Bool) {
        self.init()
        request.headers.forEach { add(name: $0, value: $1) }
        if keepingHeaders { headers = request.headers }
        body = request.body
        bodyCount = request.bodyLength
    }
}

extension PushRequest {
    /// A request of what was kept of it.
    init(_ headers: HeaderBlock, body: [UInt8], bodyCount: Int) {
        self.init()
        headers.forEach { add(name: $0, value: $1) }
        (self.headers, self.body, self.bodyCount) = (headers, body, bodyCount)
    }
}

extension ChannelRequest {
    /// Nil for a device push, the most common request to a push port.
    init?(_ request: Request, _ push: PushRequest, at service: Service) {
        if service == .push, push.deviceToken != nil { return nil }
        self.init(path: push.path, at: service)
        request.headers.forEach { add(name: $0, value: $1) }
        body = request.body
    }
}

extension WindowScope {
    /// The windows of a session, by stream; 0 is the connection. A stream whose request is complete needs none.
    func streams(of session: ServerSession) -> [StreamID] {
        (includesConnection ? [0] : []) + (includesStreams ? session.unfinishedStreams : [])
    }
}

extension SimulatedAPNs.Settings {
    func session(streamLimit: Int, maxBodyBytes: Int) -> ServerSession.Configuration {
        var configuration = ServerSession.Configuration()
        configuration.settings = ServerSettings(
            maxConcurrentStreams: streamLimit, initialWindowSize: initialWindowSize, maxFrameSize: maxFrameSize,
            headerTableSize: headerTableSize, maxHeaderListSize: maxHeaderListSize)
        configuration.connectionWindow = connectionWindow
        configuration.maxHeaderListBytes = maxHeaderListSize
        configuration.maxBodyBytes = maxBodyBytes
        return configuration
    }
}
