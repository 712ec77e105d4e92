/// Pushes to parts of the system other than its list of notifications.
///
/// The topic is the connection's default; the suffix that each type wants is added.
extension PushNotification {
    /// Announces a call to PushKit: at once or not at all, up to 5120 bytes. The device token is PushKit's.
    ///
    /// - Parameter content: the whole payload, an object without `aps`.
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable` or `.contentNotObject`.
    public static func voip(_ content: some Encodable) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(content: content), pushType: .voip)
    }

    /// Reaches the Push to Talk framework: at once or not at all. The device token is valid while its user has joined a channel.
    ///
    /// - Parameter content: an object whose members stand beside an empty `aps`.
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable`, `.contentNotObject` or `.customKeyReserved`.
    public static func pushToTalk(_ content: some Encodable) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(APS(), content: content), pushType: .pushToTalk)
    }

    /// Updates a watch face's complication: at most 50 a day and device.
    ///
    /// - Parameter content: the whole payload, an object without `aps`.
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable` or `.contentNotObject`.
    public static func complication(_ content: some Encodable) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(content: content), pushType: .complication)
    }

    /// Tells a file provider extension that a container has changed.
    ///
    /// - Parameters:
    ///   - containerIdentifier: the container; nil: the working set.
    ///   - domain: its domain, where the provider has several.
    public static func fileProvider(containerIdentifier: String? = nil, domain: String? = nil) -> PushNotification {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.member("container-identifier", containerIdentifier ?? "NSFileProviderWorkingSetContainerItemIdentifier")
        writer.member("domain", domain)
        writer.endObject()
        return PushNotification(payload: Payload(written: writer.bytes), pushType: .fileProvider)
    }

    /// Asks a location push extension where the device is. Needs a provider token; the device token is the extension's.
    public static func location() -> PushNotification {
        PushNotification(payload: Payload(), pushType: .location)
    }

    /// Makes the app's widgets reload. The device token is WidgetKit's.
    public static func widgets() -> PushNotification { PushNotification(payload: .contentChanged, pushType: .widgets) }

    /// Makes the app's controls reload. The device token is that of the control.
    public static func controls() -> PushNotification {
        PushNotification(payload: .contentChanged, pushType: .controls)
    }

    /// Asks a managed device to contact its MDM server. The topic is that of the MDM certificate, `com.apple.mgmt.…`, which the
    /// connection takes from it; the device token comes from the check-in message, see ``DeviceToken/init(base64:)``.
    ///
    /// - Parameter pushMagic: from the device's check-in message.
    public static func mdm(pushMagic: String) -> PushNotification {
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.member("mdm", pushMagic)
        writer.endObject()
        return PushNotification(payload: Payload(written: writer.bytes, [.known, .mdm]), pushType: .mdm)
    }

    /// Tells Wallet to fetch a new version of a pass: an empty object. The topic is the pass type id, `pass.…`, and the credential its
    /// certificate. Apple names no push type for it; it goes as `alert`.
    public static func wallet() -> PushNotification {
        PushNotification(payload: Payload(written: Array("{}".utf8)), pushType: .alert)
    }
}

extension Payload {
    fileprivate static var contentChanged: Payload {
        var aps = APS()
        aps.contentChanged = true
        return Payload(checked: aps, [:])
    }
}
