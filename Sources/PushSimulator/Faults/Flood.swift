/// Many frames that say nothing.
public struct Flood: Sendable, Hashable {
    /// Of which frames.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// PING, each of which wants an answer.
        case ping
        /// Empty SETTINGS, each of which wants an acknowledgement.
        case settings
        /// WINDOW_UPDATE of the connection by one byte.
        case windowUpdate
        /// Empty frames of a type nobody knows, which a provider must ignore (RFC 9113, section 5.5).
        case unknown
        /// PRIORITY on stream 1, which is deprecated and ignored (RFC 9113, section 5.3.2).
        case priority
        /// Informational answers (103) before the push's answer.
        case informational
        /// Empty DATA between HEADERS and the end of the push's answer.
        case emptyData
        /// Empty CONTINUATION between HEADERS and the end of the header block of the push's answer.
        case continuation
    }

    /// Of which frames.
    public var kind: Kind
    /// How many: 1…100,000, of SETTINGS 10,000 at most. What lies outside is brought inside.
    public var count: Int

    /// So many frames of a kind.
    public init(_ kind: Kind, count: Int = 10_000) {
        self.kind = kind
        self.count = count
    }

    /// Most frames of a kind.
    static func most(_ kind: Kind) -> Int { kind == .settings ? 10_000 : 100_000 }

    var boundedCount: Int { max(1, min(count, Self.most(kind))) }

    /// True where it stands inside an answer.
    var needsPush: Bool {
        switch kind {
        case .informational, .emptyData, .continuation: true
        case .ping, .settings, .windowUpdate, .unknown, .priority: false
        }
    }

    /// One of them, where it needs no session and no stream.
    var frame: [UInt8] {
        switch kind {
        case .ping: RawFrame.frame(RawFrame.ping, Array("flooding".utf8))
        case .windowUpdate: RawFrame.frame(RawFrame.windowUpdate, RawFrame.number(1, 4))
        case .unknown: RawFrame.frame(0xFA)
        case .priority: RawFrame.frame(RawFrame.priority, stream: 1, RawFrame.number(0, 4) + [15])
        case .settings, .informational, .emptyData, .continuation: []
        }
    }
}
