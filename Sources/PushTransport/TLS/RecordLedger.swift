import DequeModule

/// What can be said of a stream whose link is gone, by what the kernel took and nothing else.
package enum WriteFate: Sendable, Hashable {
    /// The kernel took no byte of a record that holds one of its bytes.
    case notSent
    /// The kernel did not take the whole record that holds its last byte, the one with END_STREAM.
    case unprocessed
    /// The kernel took all of it: the peer may have processed it.
    case written
}

/// Joins plaintext offsets to ciphertext offsets, and both to the bytes the kernel took.
///
/// Offsets count from the first byte of either stream. Ciphertext also counts what holds no plaintext: handshake,
/// alerts, key updates. Only records that the kernel has not wholly taken are kept.
struct RecordLedger {
    private struct Record {
        let plaintextEnd: UInt64
        let ciphertextStart: UInt64
        let ciphertextEnd: UInt64
    }

    private var records = Deque<Record>()
    /// Plaintext in records that the kernel took whole.
    private var settledPlaintext: UInt64 = 0
    private var plaintext: UInt64 = 0
    /// Ciphertext the kernel took.
    private(set) var taken: UInt64 = 0

    /// Notes a record of `count` plaintext bytes between two ciphertext offsets.
    mutating func encrypted(_ count: Int, from start: UInt64, to end: UInt64) {
        plaintext += UInt64(count)
        records.append(Record(plaintextEnd: plaintext, ciphertextStart: start, ciphertextEnd: end))
    }

    /// Notes that the kernel took `count` bytes more.
    mutating func took(_ count: Int) {
        taken += UInt64(count)
        while let first = records.first, first.ciphertextEnd <= taken {
            settledPlaintext = first.plaintextEnd
            records.removeFirst()
        }
    }

    /// - Parameters:
    ///   - firstByte: plaintext offset of the stream's first byte; nil if none was produced.
    ///   - end: plaintext offset just past its END_STREAM; nil if that was not produced.
    func fate(firstByte: UInt64?, end: UInt64?) -> WriteFate {
        guard let firstByte, hasTaken(firstByte) else { return .notSent }
        guard let end, end <= settledPlaintext else { return .unprocessed }
        return .written
    }

    /// Whether the kernel took a byte of the record that holds this plaintext byte. Of the records in the ledger only
    /// the first can be taken in part.
    private func hasTaken(_ offset: UInt64) -> Bool {
        if offset < settledPlaintext { return true }
        guard let first = records.first else { return false }
        return offset < first.plaintextEnd && first.ciphertextStart < taken
    }
}
