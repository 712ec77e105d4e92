/// One line of an alert: a text, or a key that the app localizes.
///
/// A string literal is a text: `Alert(title: "Flight A998", body: .localized("BOARDING_%@", "A12"))`.
public struct AlertText: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    enum Form: Hashable, Sendable {
        case plain(String)
        case localized(key: String, arguments: [String])
    }

    let form: Form

    private init(_ form: Form) { self.form = form }

    /// Creates a text to show as it is.
    public init(_ text: some StringProtocol) { self.init(.plain(String(text))) }

    /// Nil for nil.
    init?(optional text: String?) {
        guard let text else { return nil }
        self.init(.plain(text))
    }

    /// Creates a text from a literal.
    public init(stringLiteral value: String) { self.init(.plain(value)) }

    /// A key of the app's `Localizable.strings`, and the values for the placeholders `%@` and `%n$@` of its text, in
    /// order.
    public static func localized(_ key: String, _ arguments: String...) -> AlertText {
        localized(key, arguments: arguments)
    }

    /// A key of the app's `Localizable.strings`, and the values for the placeholders `%@` and `%n$@` of its text, in
    /// order.
    public static func localized(_ key: String, arguments: [String]) -> AlertText {
        AlertText(.localized(key: key, arguments: arguments))
    }
}

extension AlertText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the form, but no content.
    public var description: String {
        switch form {
        case .plain(let text): "AlertText(\(text.utf8.count) bytes)"
        case .localized(_, let arguments): "AlertText(localized, \(arguments.count) arguments)"
        }
    }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
