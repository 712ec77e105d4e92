import PushHTTP2

/// HEADERS written and answered on one link, summed up.
struct Traffic: Equatable, Sendable {
    private(set) var written: UInt32 = 0
    private(set) var firstStream: Int32 = 0
    private(set) var lastStream: Int32 = 0
    private(set) var accepted: UInt32 = 0
    /// Rejections by status; each counter stays at its highest value instead of wrapping.
    private(set) var forbidden: UInt16 = 0
    private(set) var gone: UInt16 = 0
    private(set) var throttled: UInt16 = 0
    private(set) var otherRejected: UInt16 = 0
    private(set) var serverErrors: UInt16 = 0

    var isEmpty: Bool { self == Traffic() }

    mutating func wrote(_ stream: Int32) {
        if written == 0 { firstStream = stream }
        lastStream = stream
        written &+= 1
    }

    mutating func answered(status: Int) {
        switch status {
        case 200..<300: accepted &+= 1
        case 403: forbidden.increase(by: 1)
        case 410: gone.increase(by: 1)
        case 429: throttled.increase(by: 1)
        case 500...: serverErrors.increase(by: 1)
        default: otherRejected.increase(by: 1)
        }
    }

    mutating func merge(_ other: Traffic) {
        if other.written > 0 {
            if written == 0 { firstStream = other.firstStream }
            lastStream = other.lastStream
        }
        written &+= other.written
        accepted &+= other.accepted
        forbidden.increase(by: other.forbidden)
        gone.increase(by: other.gone)
        throttled.increase(by: other.throttled)
        otherRejected.increase(by: other.otherRejected)
        serverErrors.increase(by: other.serverErrors)
    }

    /// The counts that are not 0.
    var detail: String {
        var parts: [String] = []
        if written > 0 { parts.append("written=\(written) streams=\(firstStream)-\(lastStream)") }
        for (name, count) in [
            ("200", accepted), ("403", UInt32(forbidden)), ("410", UInt32(gone)), ("429", UInt32(throttled)),
            ("other_4xx", UInt32(otherRejected)), ("5xx", UInt32(serverErrors)),
        ] where count > 0 {
            parts.append("\(name)=\(count)")
        }
        return parts.joined(separator: " ")
    }
}

/// RST_STREAM frames with one code, summed up.
struct Resets: Equatable, Sendable {
    let code: UInt32
    /// True for those that we sent.
    let isOurs: Bool
    /// The lowest and the highest of their streams. Resets come in any order.
    private(set) var firstStream: Int32
    private(set) var lastStream: Int32
    private(set) var count: UInt32 = 1

    init(_ code: HTTP2ErrorCode, stream: Int32, isOurs: Bool) {
        self.code = code.rawValue
        self.isOurs = isOurs
        firstStream = stream
        lastStream = stream
    }

    /// Adds another one; false if it is of another kind.
    mutating func merge(_ other: Resets) -> Bool {
        guard other.code == code, other.isOurs == isOurs else { return false }
        firstStream = min(firstStream, other.firstStream)
        lastStream = max(lastStream, other.lastStream)
        count &+= other.count
        return true
    }

    var detail: String {
        "code=\(HTTP2ErrorCode(rawValue: code)) "
            + (count == 1 ? "stream=\(firstStream)" : "streams=\(firstStream)-\(lastStream) count=\(count)")
    }
}

extension UInt16 {
    fileprivate mutating func increase(by other: UInt16) {
        let (sum, overflow) = addingReportingOverflow(other)
        self = overflow ? .max : sum
    }
}
