import FoundationEssentials

/// APNs rejected a push. Thrown by ``PushResponse/accepted()``.
public struct PushRejection: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The answer.
    public let response: PushResponse

    /// Creates the error for an answer, for tests.
    public init(_ response: PushResponse) { self.response = response }

    /// What APNs answered, what it means and what to do, in a sentence or three.
    public var description: String {
        let said = "APNs rejected the push: \(response.status)\(response.reason.map { " \($0)" } ?? "")."
        guard let reason = response.reason, reason.isKnown else { return said }
        return "\(said) \(reason.meaning) \(reason.remedy)"
    }

    /// Same as ``description``.
    public var errorDescription: String? { description }
}

extension PushResponse {
    /// Returns the answer if APNs accepted the push, and throws if not.
    ///
    /// ```swift
    /// try await orders.push(.alert(title: "Flight A998", body: "Boarding"), to: device).accepted()
    /// ```
    /// - Throws: ``PushRejection``, with the answer.
    @discardableResult
    public func accepted() throws(PushRejection) -> PushResponse {
        guard isAccepted else { throw PushRejection(self) }
        return self
    }
}
