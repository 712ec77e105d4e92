import WireTransport

/// What a connection trusts, read and not parsed yet.
struct TrustFiles {
    private let roots: [UInt8]?
    private let additional: [[UInt8]]
    private let pins: PinPolicy?

    init(_ trust: TrustRoots, again: Bool = false) throws(ConnectError) {
        roots = try trust.bundle?.read("trust bundle", again: again)
        var additional: [[UInt8]] = []
        for source in trust.additional { additional.append(try source.read("additional trust bundle", again: again)) }
        self.additional = additional
        pins = trust.pinning.map { PinPolicy(pins: Set($0.pins.map(\.pin)), reportsOnly: $0.isReportOnly) }
    }

    /// What tells it from others.
    var parts: [[UInt8]?] {
        let pinned = pins.map { $0.pins.map(\.sha256).sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self) }
        let counts = [UInt8(clamping: additional.count), pins?.reportsOnly == true ? 1 : 0]
        return [counts, roots, pinned] + additional
    }

    func context(_ identity: Identity?) throws(KeyError) -> TLSContext {
        try TLSContext.client(
            trust: roots.map { .pem($0) } ?? .system, additional: additional, pins: pins, identity: identity)
    }
}
