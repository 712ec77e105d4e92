import FoundationEssentials
import PushLocking
import PushSimulator
import PushTerminal
import SupervisedPush

/// Devices and sessions.
extension InboxService {
    func devices(from start: Int, limit: Int) -> [UInt8] {
        let (now, store) = (now, store)
        let (devices, count) = store.withDevices { ($0.newest(limit, from: start, now: now, in: $1), $0.count) }
        var object = JSONObject()
        object.add("devices", list: devices.map { $0.device.json($0.token) })
        object.add { $0.add("count", count) }
        return object.json
    }

    func device(_ token: String) throws(InboxProblem) -> [UInt8] {
        let now = now
        guard let device = store.withDevices({ $0.device(token, now: now, in: $1) }) else {
            throw .notFound("No push to this device was accepted, and its state was not set.")
        }
        return device.detail(token.lowercased(), store.push)
    }

    /// Changes the state: of the device here, and of its token in the simulator.
    func changeDevice(_ token: String, _ body: [UInt8]) throws(InboxProblem) -> [UInt8] {
        let names = SimulatedDeviceState.allCases.map(\.rawValue).joined(separator: ", ")
        guard case .object(let members)? = JSONValue(parsing: body), members.count == 1,
            let state = members["state"]?.stringValue.flatMap(SimulatedDeviceState.init(rawValue:))
        else { throw .body("It must be {\"state\": \"…\"} with one of \(names).") }
        guard !token.isEmpty, token.utf8.count <= 200, token.utf8.allSatisfy(Self.isHexDigit) else {
            throw .parameter("token", "must be hex digits, at most 200")
        }
        let now = now
        guard let device = store.withDevices({ $0.change(token, to: state, now: now, in: $1) }) else {
            throw .tooMany("\(DeviceBook.mostSet) devices have a state; set some to online.")
        }
        apple.devices.set(state.registered(now: now), for: token)
        store.changed(.devices)
        return device.detail(token.lowercased(), store.push)
    }

    func forgetDevices() {
        let changed = store.withDevices { devices, _ in
            defer { devices.removeAll() }
            return devices.set
        }
        for token in changed { apple.devices.set(nil, for: token) }
        store.changed(.devices)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    // MARK: Sessions

    func listSessions() -> [UInt8] {
        var object = JSONObject()
        let known = sessions.withLock { $0.sessions.values.sorted { $0.name < $1.name } }
        object.add("sessions", list: known.map(\.json))
        return object.json
    }

    func putSession(_ name: String, _ body: [UInt8]) throws(InboxProblem) -> [UInt8] {
        guard !name.isEmpty, name.utf8.count <= 200, !name.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
            throw .parameter("name", "must be 1 to 200 bytes on one line")
        }
        guard case .object(let members)? = JSONValue(parsing: body),
            members.keys.allSatisfy(["topic", "token", "key"].contains),
            members.values.allSatisfy({ $0.stringValue != nil })
        else { throw .body("It must be an object with some of topic, token and key, each a string.") }
        let session = PushSession(
            name: name, topic: members["topic"]?.stringValue, token: members["token"]?.stringValue,
            keyID: members["key"]?.stringValue)
        guard sessions.withLock({ $0.put(session) }) else {
            throw .tooMany("There are \(SessionBook.most) sessions; remove some.")
        }
        store.changed(.sessions)
        return session.json
    }

    func removeSession(_ name: String) throws(InboxProblem) {
        guard sessions.withLock({ $0.remove(name) }) else { throw .notFound("There is no session of this name.") }
        store.changed(.sessions)
    }
}

extension SimulatedDeviceState {
    /// What the simulator answers to pushes; nil for what the registry's rules say.
    fileprivate func registered(now: Int64) -> DeviceState? {
        switch self {
        case .online, .offline, .asleep, .muted: nil
        case .removed: .unregistered(since: Date(timeIntervalSince1970: Double(now) / 1_000))
        case .wrongEnvironment: .bad
        }
    }
}
