import FoundationEssentials

/// A request of which the ledger keeps the body.
public protocol RecordedPayload: Sendable {
    /// The body, as far as it was kept.
    var payload: [UInt8] { get }
    /// Bytes of the body, also of those that were not kept.
    var bodyCount: Int { get }
}

extension RecordedPayload {
    /// The body as a type of the caller's own, read by Foundation's `JSONDecoder` with its defaults.
    ///
    /// ```swift
    /// struct Order: Decodable { let order: Int }
    /// #expect(try apple.pushes[0].decoded(as: Order.self).order == 4711)
    /// ```
    ///
    /// - Throws: ``SimulatorError`` with the code `notKept` where the body, or its end, was not kept; `DecodingError` where it is not
    ///   what `type` reads.
    public func decoded<Content: Decodable>(as type: Content.Type = Content.self) throws -> Content {
        guard payload.count == bodyCount else {
            throw SimulatorError(
                .notKept,
                payload.isEmpty
                    ? "The ledger keeps no payloads: leave SimulatedAPNs.Configuration.ledger at .records."
                    : "Of this body of \(bodyCount) bytes only the first \(payload.count) were kept.")
        }
        return try JSONDecoder().decode(type, from: Data(payload))
    }

    /// The body as text; what is not UTF-8 is replaced.
    public var payloadText: String { String(decoding: payload, as: UTF8.self) }
}
