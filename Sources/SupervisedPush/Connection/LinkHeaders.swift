/// The state of one link that header fields depend on.
struct LinkHeaders {
    /// The names that its table already contains.
    var indexed = IndexedNames()
    /// The provider token it uses; nil with a certificate.
    var token: ShownToken?
}

/// Which of the names that are indexed once per link have been indexed.
struct IndexedNames: Equatable {
    private var seen: UInt8 = 0

    /// True the first time it is called for a name.
    mutating func insertFirst(_ name: StaticString) -> Bool {
        // One bit each, distinguished by their lengths: apns-id (7), apns-expiration (15), apns-collapse-id (16).
        let bit = UInt8(1) << ((name.utf8CodeUnitCount >> 2))
        defer { seen |= bit }
        return seen & bit == 0
    }
}
