/// What the header fields of one link depend on.
struct LinkHeaders {
    /// The names that its table holds already.
    var indexed = IndexedNames()
    /// The provider token it shows; nil with a certificate.
    var token: ShownToken?
}

/// Which of the names that are indexed once per link have been.
struct IndexedNames: Equatable {
    private var seen: UInt8 = 0

    /// True the first time a name is asked for.
    mutating func insertFirst(_ name: StaticString) -> Bool {
        // A bit each, told apart by their lengths: apns-id (7), apns-expiration (15), apns-collapse-id (16).
        let bit = UInt8(1) << ((name.utf8CodeUnitCount >> 2))
        defer { seen |= bit }
        return seen & bit == 0
    }
}
