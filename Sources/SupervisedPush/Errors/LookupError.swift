import ProcessRuntime

/// Why no connection has a name or a pid. Every call that looks one up throws it.
public struct LookupError: Error, Sendable, CustomStringConvertible {
    /// The kinds of error. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower case with underscores, suitable as a metric's label.
        public let name: String

        /// The runtime never had a connection of this name, or had it more than 1,000 ended names ago.
        public static let unknownName = Self(name: "unknown_name")
        /// The connection was closed, and its name was not used again.
        public static let closed = Self(name: "closed")
        /// The connection gave up. If APNs refused its credential, ``LookupError/refusal`` says why; otherwise its
        /// process failed too often, or its restart policy allowed no restart.
        public static let givenUp = Self(name: "given_up")
        /// The process has ended. Its connection may have another one by now.
        public static let noProcess = Self(name: "no_process")
        /// The call is for a single connection, and this is a pool.
        public static let isPool = Self(name: "is_pool")

        /// The code's name.
        public var description: String { name }
    }

    /// What is wrong.
    public let code: Code
    /// The name that was looked up, or that the connection had.
    public let name: String?
    /// The process that was looked up.
    public let pid: ProcessID?
    /// Why APNs refused the credential, if the connection was given up for that reason.
    public let refusal: CredentialRefusal?
    /// What is wrong and what to do, in one or two sentences.
    public let description: String

    private init(
        _ code: Code, name: String? = nil, pid: ProcessID? = nil, refusal: CredentialRefusal? = nil,
        _ description: String
    ) {
        self.code = code
        self.name = name
        self.pid = pid
        self.refusal = refusal
        self.description = description
    }

    static func unknownName(_ name: String) -> Self {
        Self(
            .unknownName, name: name,
            "No connection is named \"\(name)\": connect(name:config:) it first, or check the spelling.")
    }

    static func noProcess(_ pid: ProcessID) -> Self {
        Self(
            .noProcess, pid: pid,
            "No connection lives under \(pid): it was closed or has ended. Connect again, or use its name.")
    }

    static func isPool(_ name: String?) -> Self {
        Self(.isPool, name: name, "\(subject(name, kind: "pool")) has several connections: ask one of its members.")
    }

    /// The error for a connection or pool that has ended or is about to.
    init(ended destination: some Destination) {
        let name = destination.name
        let what = Self.subject(name, kind: destination is PoolEntry ? "pool" : "connection")
        switch destination.end {
        case .refused(let refusal):
            self.init(
                .givenUp, name: name, refusal: refusal,
                "\(what) was given up, because APNs refuses its credential. \(refusal.description)")
        case .givenUp:
            let why = destination.hub.standing.lastExit.map { ", last with: \($0)" } ?? ""
            self.init(
                .givenUp, name: name,
                "\(what) was given up, because its process failed too often\(why). Connect again.")
        case .closed, nil:
            self.init(.closed, name: name, "\(what) was closed: connect again, or use another one.")
        }
    }

    private static func subject(_ name: String?, kind: String) -> String {
        name.map { "The \(kind) \"\($0)\"" } ?? "The \(kind)"
    }
}

extension PushError {
    /// The error of a push that found no connection.
    init(_ error: LookupError) {
        let code: Code =
            switch error.code {
            case .unknownName: .unknownName
            case .noProcess: .noProcess
            case .givenUp: error.refusal == nil ? .processFailed : .credentialRefused
            default: .closed
            }
        let layer: ErrorLayer = error.refusal?.layer ?? (error.code == .unknownName ? .request : .process)
        self.init(code, at: layer, certainty: .notSent, error.description)
    }
}
