import ProcessRuntime

/// A connection to APNs, or a pool of connections: what every call about it is made on.
///
/// ```swift
/// let orders = try runtime.connect(name: "orders", config: config)
/// let answer = try await orders.push(.alert(title: "Flight A998", body: "Boarding"), to: token)
/// print(orders.status)
/// ```
/// `connect` and `startPool` return one, ``PushRuntime/connection(named:)`` and ``PushRuntime/connection(_:)`` find one. Keep it, copy it,
/// hand it to whatever pushes: it is a small value, and all of its calls may be made from any thread or task. To inject a fake in its
/// place, depend on ``PushSending``.
///
/// - A handle of a name means that connection, across reconnects and restarts of its process, until it is closed or given up. A later
///   `connect` under the same name makes another connection, which this handle does not lead to.
/// - A handle from a pid means that one process. Once the process has ended, calls that need it throw, also if another process follows.
/// - A handle of a pool's connection, from ``members``, means that connection.
///
/// A handle keeps its runtime alive: the runtime shuts down only when ``PushRuntime/shutdown(within:)`` is called, or after the last
/// reference to it and the last handle are gone.
public struct PushConnection: Sendable {
    let runtime: PushRuntime
    let destination: any Destination
    /// The only process that is meant; nil: whichever serves the connection.
    let process: ProcessID?

    init(_ runtime: PushRuntime, _ destination: any Destination, process: ProcessID? = nil) {
        self.runtime = runtime
        self.destination = destination
        self.process = process
    }

    /// The connection's name, or that of its pool; nil for an anonymous connection.
    public var name: String? { destination.name }

    /// The process that serves the connection now; nil between two processes and after the end. A restart changes it.
    public var pid: ProcessID? {
        guard let pid = destination.pid, process == nil || process == pid else { return nil }
        return pid
    }

    /// The connection, as long as the process that is meant serves it. What the connection's own end means is each call's business.
    func served() throws(LookupError) -> any Destination {
        if let process, destination.pid != process { throw .noProcess(process) }
        return destination
    }
}

extension PushConnection: CustomStringConvertible {
    /// Its name and its pid, for example `"orders" <7>`.
    public var description: String {
        let words = [name.map { "\"\($0)\"" } ?? "anonymous", pid.map { "\($0)" }]
        return words.compactMap(\.self).joined(separator: " ")
    }
}
