import Testing

/// One sentence of `PushQueueStore`, as a check that every store must pass.
///
/// A test target runs all of them with one parameterized test:
///
/// ```swift
/// @Test(arguments: QueueStoreClause.all)
/// func keeps(_ clause: QueueStoreClause) async throws { try await clause.check(stage) }
/// ```
public struct QueueStoreClause: Sendable, CustomTestStringConvertible {
    /// The sentence.
    public let testDescription: String
    /// Records an issue of the test that runs if the store does not keep to it.
    public let check: @Sendable (QueueStoreStage) async throws -> Void

    init(_ sentence: String, _ check: @escaping @Sendable (QueueStoreStage) async throws -> Void) {
        testDescription = sentence
        self.check = check
    }

    /// The whole contract but the random calls, see ``QueueStoreStage/checkRandomCalls(seed:calls:)``.
    public static var all: [QueueStoreClause] {
        // An array of fifteen static properties takes the compiler more than a second, three times in a build.
        var clauses = adding + taking + progress + settling
        clauses += fates + takeover + beats + rates
        clauses += reading + keeping + standing + deadLetters
        clauses += steering + campaigns + holds + lanes + campaignRates
        return clauses
    }
}
