import ProcessRuntime

/// A connection to APNs, or a pool of connections. All calls about a connection are made on this value.
///
/// ```swift
/// let orders = try runtime.connect(name: "orders", config: config)
/// let answer = try await orders.push(.alert(title: "Flight A998", body: "Boarding"), to: token)
/// print(orders.status)
/// ```
/// `connect` and `connect(name:size:config:)` return a connection; ``PushRuntime/connection(named:)`` and ``PushRuntime/connection(_:)``
/// find one. Keep it, copy it, pass it on: it is a small value, and all of its calls may be made from any thread or
/// task. To inject a fake instead, depend on ``PushSending``.
///
/// - A handle found by name means that connection, across reconnects and restarts of its process, until it is closed or
///   given up. A later `connect` with the same name makes another connection; this handle does not refer to it.
/// - A handle found by pid means that one process. Once the process has ended, calls that need it throw, even if
///   another process has replaced it.
/// - A handle of a pool's connection, from ``members``, means that connection.
///
/// A handle keeps its runtime alive. The runtime shuts down when ``PushRuntime/shutdown(within:)`` is called, or when
/// the last reference to it and the last handle are gone.
public struct PushConnection: Sendable {
    let runtime: PushRuntime
    let destination: any Destination
    /// The only process that this handle means; nil if it means the connection, whichever process serves it.
    let process: ProcessID?

    init(_ runtime: PushRuntime, destination: any Destination, process: ProcessID? = nil) {
        self.runtime = runtime
        self.destination = destination
        self.process = process
    }

    /// The connection's name, or that of its pool. Nil for an anonymous connection.
    public var name: String? { destination.name }

    /// The process that serves the connection now. Nil between two processes and after the end. A restart changes it.
    public var pid: ProcessID? {
        guard let pid = destination.pid, process == nil || process == pid else { return nil }
        return pid
    }

    /// The connection, provided that the process this handle means still serves it. Each call decides for itself what
    /// the end of the connection means.
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
