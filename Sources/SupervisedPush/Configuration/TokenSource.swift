/// Returns provider tokens that are made elsewhere.
final class TokenSource: Sendable {
    /// A readable name of the tokens' origin.
    let name: String
    let make: @Sendable () async throws -> BearerToken

    init(_ name: String, make: @escaping @Sendable () async throws -> BearerToken) {
        self.name = name
        self.make = make
    }
}
