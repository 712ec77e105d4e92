import PushProtocol

/// Where settings come from, and what errors call them: here alone an error of a configuration gets its place.
package struct ConfigurationOrigin: Sendable {
    /// How many members lead to a setting of a file at most: a profile, `named`, a connection, the setting.
    private static let depth = 4

    /// The file; empty for settings that come from elsewhere.
    let path: String
    /// What encloses the settings, from the outside in: a profile, `named` and a connection, or a reader's scope.
    private(set) var scope: [String]
    /// The lines of a file, by the names that lead to them.
    private let lines: [[String]: Int]
    /// The variable of the environment that a setting would have, by the names that lead to it.
    private let variable: (@Sendable ([String]) -> String)?

    /// A file.
    ///
    /// - Parameter bytes: Its content, which says in which line a setting is.
    init(path: String, bytes: [UInt8]) {
        self.path = path
        scope = []
        lines = JSONScanner.lines(ofMembersIn: bytes, depth: Self.depth)
        variable = nil
    }

    /// Something that knows settings by a scope and a key, the environment among others.
    ///
    /// - Parameters:
    ///   - scope: What leads to the settings, from the outside in.
    ///   - variable: The variable of the environment for these names. It is shown beside them.
    package init(scope: [String], variable: @escaping @Sendable ([String]) -> String) {
        path = ""
        self.scope = scope
        lines = [:]
        self.variable = variable
    }

    /// The origin of settings that are further in.
    package func entering(_ names: String...) -> Self {
        var inner = self
        inner.scope += names
        return inner
    }

    /// The settings as the subject of a sentence.
    package var subject: String { scope.isEmpty ? "it" : Self.dotted(scope) }

    /// A setting as its source calls it: `named.orders.port`, or `apns.port (APNS_PORT)`.
    package func name(of key: String) -> String {
        let place = scope + [key]
        return Self.dotted(place) + (variable.map { " (\($0(place)))" } ?? "")
    }

    /// The error for a setting.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - problem: What is wrong with it: it continues the setting's name.
    package func refusal(
        of key: String, _ problem: String, code: ConnectError.Code = .configuration
    ) -> ConnectError {
        refusal(name(of: key) + problem, line: lines[scope + [key]], code: code)
    }

    /// The error for the settings as a whole.
    package func refusal(_ sentence: String) -> ConnectError { refusal(sentence, line: lines[scope]) }

    private func refusal(
        _ sentence: String, line: Int?, code: ConnectError.Code = .configuration
    ) -> ConnectError {
        let place = path.isEmpty ? "" : " in \(path)\(line.map { ", line \($0)" } ?? "")"
        return ConnectError(code, "The configuration\(place): \(sentence)")
    }

    private static func dotted(_ names: [String]) -> String { names.map { $0.prefix(40) }.joined(separator: ".") }
}
