import Testing

/// One sentence of ``PushQueueStore``, as a check that every store must pass.
///
/// A test target runs all of them with one parameterized test:
///
/// ```swift
/// @Test(arguments: ContractClause.all)
/// func keeps(_ clause: ContractClause) async throws { try await clause.check(stage) }
/// ```
package struct ContractClause: Sendable, CustomTestStringConvertible {
    /// The sentence.
    package let testDescription: String
    /// Records an issue of the test that runs if the store does not keep to it.
    package let check: @Sendable (ContractStage) async throws -> Void

    init(_ sentence: String, _ check: @escaping @Sendable (ContractStage) async throws -> Void) {
        testDescription = sentence
        self.check = check
    }

    /// The whole contract but the random calls, see ``checkRandomCalls(on:seed:calls:)``.
    package static var all: [ContractClause] {
        let parts: [[ContractClause]] = [
            adding, taking, progress, settling, fates, takeover, beats, rates, reading, keeping, standing, deadLetters,
        ]
        return parts.flatMap(\.self)
    }
}
