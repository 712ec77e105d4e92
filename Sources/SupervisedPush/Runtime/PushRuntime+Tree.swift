import Logging
import PushLocking

/// The supervision tree, and the status socket that shows it to other programs.
extension PushRuntime {
    /// The supervisor with all its pools and connections, and the state of each. Reading it disturbs no process.
    public var supervisionTree: SupervisionTree { treeReader.tree }

    /// The tree now, and again whenever it changes. See ``SupervisionTreeChanges``.
    public var supervisionTreeChanges: SupervisionTreeChanges {
        SupervisionTreeChanges(signal: treeSignal, reader: treeReader)
    }

    var treeReader: TreeReader { TreeReader(supervisor: supervisor, registry: registry, time: system.time) }

    /// Opens a Unix socket that tells the state of this runtime: to `pushctl top`, or to a program of yours.
    /// ``Configuration/statusSocket`` opens it with the runtime, and writes to the log if that fails.
    ///
    /// Only this program's user can connect: the file's mode is 0600 from the beginning. A socket that was left behind by
    /// a program that has ended is replaced. The folder is made, mode 0700, if only that is missing. The socket is served
    /// on a queue of its own, to at most 16 clients, one line of JSON a second; a client that does not read is dropped.
    /// No line shows a key, a provider token, a device token or a payload. `docs/status-socket.md` describes the lines.
    /// ``shutdown(within:)`` removes the file once all connections have ended.
    ///
    /// - Parameter path: The path of the socket, at most 107 bytes.
    /// - Throws: ``StatusSocketError`` if the path cannot be used, if another program serves it, if this runtime has a
    ///   status socket already, or if it was shut down.
    public func openStatusSocket(at path: String) throws(StatusSocketError) {
        try openStatusSocket(at: path) { [] }
    }

    /// The same for a program that knows of connections that it could not begin.
    ///
    /// - Parameter unconnected: Called for each snapshot, on the socket's queue.
    package func openStatusSocket(
        at path: String, unconnected: @escaping @Sendable () -> [StatusSnapshot.Unconnected]
    ) throws(StatusSocketError) {
        let reader = StatusReader(treeReader, since: start, unconnected: unconnected)
        let server = try StatusServer(at: path) { reader.snapshot.line }
        let problem: String? = statusSocket.withLock { slot in
            switch slot {
            case .none:
                slot = .open(server)
                return nil
            case .open: return "This runtime has a status socket already."
            case .over: return "The runtime was shut down."
            }
        }
        guard let problem else { return }
        server.close()
        throw StatusSocketError(path, problem)
    }

    /// Opens the socket that the configuration asks for. Observing must not keep a program from pushing, so a failure
    /// goes to the log.
    func openConfiguredStatusSocket() {
        guard let path = configuration.statusSocket else { return }
        do { try openStatusSocket(at: path) } catch {
            configuration.logger?.error(
                "the status socket cannot be opened", metadata: ["path": "\(path)", "cause": "\(error)"])
        }
    }

    /// The tree changes no more, loops over events end, and the status socket goes.
    func endObservation() {
        treeSignal.finish()
        board.finish()
        let slot = statusSocket.withLock { slot in
            defer { slot = .over }
            return slot
        }
        if case .open(let server) = slot { server.close() }
    }

    /// A runtime's status socket.
    enum StatusSlot: Sendable {
        case none
        case open(StatusServer)
        /// The runtime has ended.
        case over
    }
}
