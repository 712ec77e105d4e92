import PushHTTP2

extension PushResponse {
    /// The answer of APNs, as the session received it.
    init(_ response: Response) {
        self.init(
            status: response.status, headers: ResponseHeaders(block: response.headers.bytes), body: response.body,
            isComplete: response.isComplete)
    }
}

extension PushNotification {
    /// The apns-id, if the caller gave one.
    var callerID: APNSID? {
        if case .fixed(let id) = apnsID { id } else { nil }
    }
}
