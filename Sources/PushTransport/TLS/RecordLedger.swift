import DequeModule

/// What is certain about a stream after its link ended. It depends only on the bytes that the kernel accepted.
package enum WriteFate: Sendable, Hashable {
    /// The kernel accepted no byte of any record that contains the stream's bytes.
    case notSent
    /// The kernel did not accept the whole record that contains the stream's last byte, that of END_STREAM.
    case unprocessed
    /// The kernel accepted all of it: the peer may have processed it.
    case written
}

/// Maps plaintext offsets to ciphertext offsets, and both to the bytes that the kernel accepted.
///
/// Offsets count from the first byte of either stream. Ciphertext includes records without plaintext: handshake,
/// alerts, key updates. Only records that the kernel has not completely accepted are kept.
struct RecordLedger {
    private struct Record {
        let plaintextEnd: UInt64
        let ciphertextStart: UInt64
        let ciphertextEnd: UInt64
    }

    private var records = Deque<Record>()
    /// The end of the plaintext in completely accepted records.
    private var acceptedPlaintext: UInt64 = 0
    private var plaintext: UInt64 = 0
    /// How much ciphertext the kernel accepted.
    private(set) var taken: UInt64 = 0

    /// Records a TLS record of `count` plaintext bytes between two ciphertext offsets.
    mutating func encrypted(_ count: Int, from start: UInt64, to end: UInt64) {
        plaintext += UInt64(count)
        records.append(Record(plaintextEnd: plaintext, ciphertextStart: start, ciphertextEnd: end))
    }

    /// Records that the kernel accepted `count` more bytes.
    mutating func took(_ count: Int) {
        taken += UInt64(count)
        while let first = records.first, first.ciphertextEnd <= taken {
            acceptedPlaintext = first.plaintextEnd
            records.removeFirst()
        }
    }

    /// - Parameters:
    ///   - firstByte: The plaintext offset of the stream's first byte; nil if none was produced.
    ///   - end: The plaintext offset just past its END_STREAM; nil if that was not produced.
    func fate(firstByte: UInt64?, end: UInt64?) -> WriteFate {
        guard let firstByte, hasTaken(firstByte) else { return .notSent }
        guard let end, end <= acceptedPlaintext else { return .unprocessed }
        return .written
    }

    /// Whether the kernel accepted a byte of the record that contains this plaintext byte. Only the first record in the
    /// ledger can be partly accepted.
    private func hasTaken(_ offset: UInt64) -> Bool {
        if offset < acceptedPlaintext { return true }
        guard let first = records.first else { return false }
        return offset < first.plaintextEnd && first.ciphertextStart < taken
    }
}
