import Foundation
import ProcessRuntime
import Testing

@testable import SupervisedPush

/// What frameworks ask every error for. `scripts/lint-errors.py` finds public errors that do not answer.
@Suite struct LocalizedErrorTests {
    private static let errors: [any Error & CustomStringConvertible] = [
        PushError(.overloaded, certainty: .notSent, description: "The connection is full."),
        ConnectError(.configuration, description: "port is 0: it must be 1 to 65535."),
        LookupError.unknownName("orders"), LinkFailure(.tls, "The certificate expired."),
        NoProcess(ProcessID(7)),
        InvalidPush(.topicMissing),
    ]

    @Test(arguments: errors.indices) func itsLocalizedDescriptionIsItsSentence(number: Int) throws {
        let error = Self.errors[number]
        #expect((error as any Error).localizedDescription == "\(error)")
        #expect(error is any LocalizedError)
    }
}
