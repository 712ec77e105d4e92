/// Many useless frames.
public struct Flood: Sendable, Hashable {
    /// The kind of frames.
    @nonexhaustive public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// PING, each of which requires an answer.
        case ping
        /// Empty SETTINGS, each of which requires an acknowledgement.
        case settings
        /// WINDOW_UPDATE of one byte on the connection.
        case windowUpdate
        /// Empty frames of an unknown type, which a provider must ignore (RFC 9113, section 5.5).
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

    /// The kind of frames.
    public var kind: Kind
    /// How many: 1…100,000, or at most 10,000 SETTINGS. Other values are clamped.
    public var count: Int

    /// Creates a flood of frames.
    public init(_ kind: Kind, count: Int = 10_000) {
        self.kind = kind
        self.count = count
    }

    /// The maximum number of frames of a kind.
    static func most(_ kind: Kind) -> Int { kind == .settings ? 10_000 : 100_000 }

    var boundedCount: Int { max(1, min(count, Self.most(kind))) }

    /// Whether the frames are part of an answer.
    var needsPush: Bool {
        switch kind {
        case .informational, .emptyData, .continuation: true
        case .ping, .settings, .windowUpdate, .unknown, .priority: false
        }
    }

    /// One frame, if it needs no session and no stream.
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
