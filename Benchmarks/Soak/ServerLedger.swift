import PushSimulator

/// The server's account: for each connection which pushes were accepted, which were refused, and what must not be.
struct ServerLedger {
    var accepted: [BitSet]
    var refused: [BitSet]
    var processed = 0
    var twice = 0
    /// Pushes whose apns-id and device token name different pushes, or none.
    var strange = 0

    init(connections: Int) {
        accepted = Array(repeating: BitSet(), count: connections)
        refused = accepted
    }

    mutating func enter(_ records: [Ledger.Record]) {
        for record in records {
            processed += 1
            guard let mark = PushMark(digits: record.deviceToken), mark.connection < accepted.count else {
                strange += 1
                continue
            }
            // Only some connections write it into the apns-id, too.
            if let other = record.apnsID.flatMap({ PushMark(digits: $0) }), other != mark { strange += 1 }
            let isNew =
                record.status == 200
                ? !refused[mark.connection][mark.sequence] && accepted[mark.connection].insert(mark.sequence)
                : !accepted[mark.connection][mark.sequence] && refused[mark.connection].insert(mark.sequence)
            if !isNew { twice += 1 }
        }
    }

    // MARK: From one process to the other

    private static func bytes(_ number: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    var bytes: [UInt8] {
        var bytes = [processed, twice, strange].flatMap(Self.bytes)
        for set in accepted + refused {
            let content = set.bytes
            bytes += Self.bytes(content.count)
            bytes += content
        }
        return bytes
    }

    /// Nil for bytes that are not a ledger of this many connections.
    init?(bytes: [UInt8], connections: Int) {
        self.init(connections: connections)
        var rest = bytes[...]
        func number() -> Int? {
            guard rest.count >= 8 else { return nil }
            defer { rest = rest.dropFirst(8) }
            return rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        guard let processed = number(), let twice = number(), let strange = number() else { return nil }
        (self.processed, self.twice, self.strange) = (processed, twice, strange)
        for index in 0..<2 * connections {
            guard let count = number(), count >= 0, rest.count >= count else { return nil }
            let set = BitSet(bytes: rest.prefix(count))
            rest = rest.dropFirst(count)
            if index < connections { accepted[index] = set } else { refused[index - connections] = set }
        }
    }
}
