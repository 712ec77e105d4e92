import FoundationEssentials

/// A request whose body the ledger may keep.
public protocol RecordedPayload: Sendable {
    /// The part of the body that was kept.
    var payload: [UInt8] { get }
    /// The length of the body, including bytes that were not kept.
    var bodyCount: Int { get }
}

extension RecordedPayload {
    /// Decodes the body as a type of your own, with Foundation's `JSONDecoder` and its default settings.
    ///
    /// ```swift
    /// struct Order: Decodable { let order: Int }
    /// #expect(try apple.pushes[0].decoded(as: Order.self).order == 4711)
    /// ```
    ///
    /// - Throws: ``SimulatorError`` with the code `notKept` if the body was not kept completely; `DecodingError` if it
    ///   does not decode as `type`.
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

    /// The body as text. Invalid UTF-8 is replaced.
    public var payloadText: String { String(decoding: payload, as: UTF8.self) }
}
