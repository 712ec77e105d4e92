/// The sound of a notification.
///
/// A string literal is the name of a file: `APS(alert: "Boarding", sound: "gong.aiff")`.
public struct Sound: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    private enum Form: Hashable, Sendable {
        case named(String)
        case critical(name: String, volume: Double, isCritical: Bool)
    }

    private let form: Form

    private init(_ form: Form) { self.form = form }

    /// Creates a sound from the name of a sound file in the app, or `default`.
    public init(_ name: some StringProtocol) { self.init(.named(String(name))) }

    /// Creates a sound from the name of a sound file.
    public init(stringLiteral value: String) { self.init(.named(value)) }

    /// The system's sound.
    public static let `default` = Sound("default")

    /// A critical alert: plays even if the device is muted or a Focus is on. The app needs Apple's entitlement.
    ///
    /// - Parameters:
    ///   - name: A sound file of the app, or `default`.
    ///   - volume: From 0.0 (silent) to 1.0 (full); other values are an error when the payload is made. Default 1.0.
    ///   - isCritical: False writes the object with `critical` 0: an ordinary sound with that volume.
    public static func critical(_ name: String = "default", volume: Double = 1, isCritical: Bool = true) -> Sound {
        Sound(.critical(name: name, volume: volume, isCritical: isCritical))
    }

    var problem: InvalidPush? {
        guard case .critical(_, let volume, _) = form, !(0...1).contains(volume) else { return nil }
        return InvalidPush(.volumeOutOfRange)
    }

    func write(into writer: inout JSONWriter) {
        switch form {
        case .named(let name): writer.string(name)
        case .critical(let name, let volume, let isCritical):
            writer.beginObject()
            writer.member("critical", isCritical ? 1 : 0)
            writer.member("name", name)
            writer.name("volume")
            writer.value(.double(volume))
            writer.endObject()
        }
    }
}

extension Sound: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Contains no content.
    public var description: String { "Sound" }

    /// Same as `description`.
    public var debugDescription: String { description }

    /// Contains nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
