import HTTP2Session

extension PushResponse {
    /// What APNs answered, as the session saw it. The pseudo field `:status` is not repeated among the headers.
    init(_ response: Response) {
        var headers = ResponseHeaders()
        headers.reserve(fields: response.headers.count, bytes: response.headers.byteCount)
        response.headers.forEach { name, value in
            guard name.first != UInt8(ascii: ":") else { return }
            name.withUnsafeBytes { name in value.withUnsafeBytes { headers.append(name: name, value: $0) } }
        }
        self.init(status: response.status, headers: headers, body: response.body, isComplete: response.isComplete)
    }
}

extension PushNotification {
    /// The apns-id, if the caller gave one.
    var callerID: APNSID? {
        if case .fixed(let id) = apnsID { id } else { nil }
    }
}
