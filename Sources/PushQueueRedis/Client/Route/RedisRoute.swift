import PushQueue

/// Decides where a connection goes next: to the server of the address, or to the Sentinels, one after the other, and to
/// the server that one of them names.
struct RedisRoute: Sendable {
    private let place: String
    private let server: RedisNode
    /// In the order in which they are asked: the one that answered last is the first.
    private var sentinels: [RedisNode]
    /// Why those that were asked in this attempt did not name a primary, in their order.
    private var failures: [RedisFailure] = []

    init(_ address: RedisServerAddress) {
        place = address.description
        server = address.node
        sentinels = address.sentinels?.nodes ?? []
    }

    /// Whether a server that is no primary must not get calls: it was named, and another one will be.
    var wantsPrimary: Bool { !sentinels.isEmpty }

    /// A new attempt.
    mutating func begin() -> RedisTarget {
        failures = []
        return sentinels.first.map { .sentinel($0) } ?? .server(server)
    }

    /// The Sentinel that was asked has named the primary.
    mutating func named(_ primary: RedisNode) -> RedisTarget {
        sentinels.insert(sentinels.remove(at: failures.count), at: 0)
        return .server(primary)
    }

    /// The Sentinel that was asked has named none.
    ///
    /// - Returns: The next one; nil if all were asked.
    mutating func sentinelFailed(_ failure: RedisFailure) -> RedisTarget? {
        failures.append(failure)
        return failures.count < sentinels.count ? .sentinel(sentinels[failures.count]) : nil
    }

    /// The server that was named does not serve as a primary, so the Sentinel may not know of a failover yet. Another one
    /// is asked first in the next attempt.
    mutating func serverFailed() {
        if sentinels.count > 1 { sentinels.append(sentinels.removeFirst()) }
    }

    /// Why no Sentinel named a primary. Another attempt ends the same way only if each of them refused.
    var noPrimary: RedisFailure {
        RedisFailure(
            failures.allSatisfy { $0.code == .refused } ? .refused : .unreachable,
            "No Sentinel of \(place) says where its primary is. " + failures.map(\.description).joined(separator: " "))
    }
}
