/// One line of an alert: a text as it is shown, or a key that the app translates.
///
/// A literal is a text: `Alert(title: "Flight A998", body: .localized("BOARDING_%@", "A12"))`.
public struct AlertText: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    enum Form: Hashable, Sendable {
        case plain(String)
        case localized(key: String, arguments: [String])
    }

    let form: Form

    private init(_ form: Form) { self.form = form }

    /// Takes a text as it is shown.
    public init(_ text: some StringProtocol) { self.init(.plain(String(text))) }

    /// Takes a text written in the program.
    public init(stringLiteral value: String) { self.init(.plain(value)) }

    /// A key of the app's `Localizable.strings`, and what fills the places `%@` and `%n$@` of its text in order.
    public static func localized(_ key: String, _ arguments: String...) -> AlertText {
        localized(key, arguments: arguments)
    }

    /// A key of the app's `Localizable.strings`, and what fills the places `%@` and `%n$@` of its text in order.
    public static func localized(_ key: String, arguments: [String]) -> AlertText {
        AlertText(.localized(key: key, arguments: arguments))
    }
}

extension AlertText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Which form it has, nothing of its content.
    public var description: String {
        switch form {
        case .plain(let text): "AlertText(\(text.utf8.count) bytes)"
        case .localized(_, let arguments): "AlertText(localized, \(arguments.count) arguments)"
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
