/// Gives provider tokens that are made elsewhere.
final class TokenSource: Sendable {
    /// What they come from, for people.
    let name: String
    let make: @Sendable () async throws -> BearerToken

    init(_ name: String, _ make: @escaping @Sendable () async throws -> BearerToken) {
        self.name = name
        self.make = make
    }
}
