/// Pushes to parts of the system other than its notifications.
///
/// The topic is the connection's default; the suffix of each type is added.
extension PushNotification {
    /// Announces a call through PushKit: delivered at once or never, up to 5120 bytes. The device token is PushKit's.
    ///
    /// - Parameter content: The whole payload, an object without `aps`.
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable` or `.contentNotObject`.
    public static func voip(_ content: some Encodable) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(content: content), pushType: .voip)
    }

    /// Reaches the Push to Talk framework: delivered at once or never. The device token is valid while its user has
    /// joined a channel.
    ///
    /// - Parameter content: An object whose members are placed beside an empty `aps`.
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable`, `.contentNotObject` or `.customKeyReserved`.
    public static func pushToTalk(_ content: some Encodable) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(APS(), content: content), pushType: .pushToTalk)
    }

    /// Updates the complication of a watch face: at most 50 per day and device.
    ///
    /// - Parameter content: The whole payload, an object without `aps`.
    /// - Throws: `InvalidPush` with the code `.contentNotEncodable` or `.contentNotObject`.
    public static func complication(_ content: some Encodable) throws(InvalidPush) -> PushNotification {
        PushNotification(payload: try Payload(content: content), pushType: .complication)
    }

    /// Tells a file provider extension that a container has changed.
    ///
    /// - Parameters:
    ///   - containerIdentifier: The container; nil for the working set.
    ///   - domain: The domain, if the provider has several.
    public static func fileProvider(containerIdentifier: String? = nil, domain: String? = nil) -> PushNotification {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.member("container-identifier", containerIdentifier ?? "NSFileProviderWorkingSetContainerItemIdentifier")
        writer.member("domain", domain)
        writer.endObject()
        return PushNotification(payload: Payload(written: writer.bytes), pushType: .fileProvider)
    }

    /// Asks a location push extension for the device's location. Requires a provider token. The device token is the
    /// extension's.
    public static func location() -> PushNotification {
        PushNotification(payload: Payload(), pushType: .location)
    }

    /// Reloads the app's widgets. The device token is WidgetKit's.
    public static func widgets() -> PushNotification { PushNotification(payload: .contentChanged, pushType: .widgets) }

    /// Reloads the app's controls. The device token is the control's.
    public static func controls() -> PushNotification {
        PushNotification(payload: .contentChanged, pushType: .controls)
    }

    /// Carries an accessory's answer to a forwarded notification back to the iPhone, for internet sessions of the
    /// framework Accessory Notifications. The device token is the one that came with the forwarded notification.
    ///
    /// What is empty is refused when the push is checked (rule ``PushRules/content``).
    ///
    /// - Parameters:
    ///   - encryptedData: The answer, encrypted by the accessory.
    ///   - sessionIdentifier: The session of the forwarded notification.
    ///   - keyID: The id of the ratchet that encrypted it.
    ///   - messageIndex: The step of the ratchet.
    public static func accessory(
        encryptedData: [UInt8], sessionIdentifier: String, keyID: [UInt8], messageIndex: UInt64
    ) -> PushNotification {
        let answer = AccessoryAnswer(
            encryptedData: encryptedData, sessionIdentifier: sessionIdentifier, keyID: keyID, messageIndex: messageIndex
        )
        return PushNotification(payload: answer.payload, pushType: .accessory)
    }

    /// Asks a managed device to contact its MDM server. The topic is that of the MDM certificate, `com.apple.mgmt.…`,
    /// which the connection takes from it. The device token comes from the check-in message, see
    /// ``DeviceToken/init(base64:)``.
    ///
    /// - Parameter pushMagic: The value from the device's check-in message.
    public static func mdm(pushMagic: String) -> PushNotification {
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.member("mdm", pushMagic)
        writer.endObject()
        return PushNotification(payload: Payload(written: writer.bytes, facts: [.known, .mdm]), pushType: .mdm)
    }

    /// Tells Wallet to fetch a new version of a pass. The payload is an empty object. The topic is the pass type id,
    /// `pass.…`, and the credential is its certificate. Apple documents no push type for it, so it is sent as `alert`.
    public static func wallet() -> PushNotification {
        PushNotification(payload: Payload(written: Array("{}".utf8)), pushType: .alert)
    }
}

extension Payload {
    fileprivate static var contentChanged: Payload {
        var aps = APS()
        aps.contentChanged = true
        return aps.payload([:])
    }
}
