/// Why a connection could not be set up (before any use of the network), or why its credential could not be replaced.
public struct ConnectError: Error, Sendable, CustomStringConvertible {
    /// The kinds of error. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower case with underscores, suitable as a metric's label.
        public let name: String

        /// The name is taken; see ``ConnectError/holder``.
        public static let nameTaken = Self(name: "name_taken")
        /// A key or certificate cannot be read or used.
        public static let credential = Self(name: "credential")
        /// A value of the configuration is invalid.
        public static let configuration = Self(name: "configuration")
        /// Another credential could not replace the one in use, which stays.
        public static let replacement = Self(name: "replacement")
        /// The connection or pool does not exist, or it ended in the meantime.
        public static let notFound = Self(name: "not_found")
        /// The runtime was shut down.
        public static let shutDown = Self(name: "shut_down")

        /// The code's name.
        public var description: String { name }
    }

    /// What is wrong.
    public let code: Code
    /// The process that holds the name, for `nameTaken`; nil if it is still being started.
    public let holder: ProcessID?
    /// What is wrong, where, and what to do. Shows no secret.
    public let description: String

    /// Creates an error, for tests of code that handles one. By default the description is the code's name.
    public init(_ code: Code, description: String? = nil) { self.init(code, description ?? code.name) }

    init(_ code: Code, holder: ProcessID? = nil, _ description: String) {
        self.code = code
        self.holder = holder
        self.description = description
    }

    static func replacement(_ why: String) -> Self {
        Self(.replacement, "The credential was not replaced; the previous one stays in use. \(why)")
    }

    static func shutDown() -> Self {
        Self(.shutDown, "The runtime was shut down: make a new one to connect again.")
    }

    static func nameTaken(_ name: String, by holder: ProcessID?) -> Self {
        let who = holder.map { "\($0)" } ?? "a connection that is being made"
        return Self(
            .nameTaken, holder: holder,
            "The name \"\(name)\" is taken by \(who): use that connection, close it first, or choose another name.")
    }

    static func nameCloses(_ name: String, held holder: ProcessID) -> Self {
        Self(
            .nameTaken, holder: holder,
            "The connection \"\(name)\" (\(holder)) is closing and still holds its name: try again when its close has "
                + "returned.")
    }
}
