/// The devices of an inbox: those that got pushes, and those whose state was set.
///
/// What pushes do to an online device is worked out when a reader asks, so that a push costs little. Until then the book
/// keeps their numbers, and what left the inbox meanwhile counts no more.
struct DeviceBook: Sendable {
    /// How many devices are kept, about. Those that got no push for the longest time make room.
    static let most = 10_000
    /// How many devices may have a state that was set. They are always kept.
    static let mostSet = 2_000

    struct Device: Sendable {
        fileprivate(set) var machine = DeviceMachine()
        /// When it got the last push, in milliseconds since 1970.
        fileprivate(set) var lastPush: Int64?
        fileprivate(set) var pushes = 0
        /// The numbers of the pushes that were not looked at yet, the newest ones.
        fileprivate var unseen: [Int] = []
    }

    /// By token in lower case: those that were used last, and those before.
    private var recent: [String: Device] = [:]
    private var older: [String: Device] = [:]
    /// The tokens of those whose state is not online.
    private(set) var set: Set<String> = []

    /// The number of the last push that it has seen.
    private(set) var seen = 0

    var count: Int { recent.count + older.count }

    /// The next push. One that was refused reaches no device.
    mutating func see(_ push: InboxPush) {
        seen = push.number
        if push.refusal == nil { receive(push) }
    }

    /// A push to a device was accepted.
    mutating func receive(_ push: InboxPush) {
        guard let token = push.deviceToken?.lowercased(), !token.isEmpty else { return }
        use(token) { device in
            device.pushes += 1
            device.lastPush = push.wallClock
            if device.machine.state == .online {
                device.note(push.number)
            } else {
                device.machine.receive(DeviceArrival(push))
            }
        }
    }

    /// Sets the state of a device. Nil if too many have one.
    mutating func change(
        _ token: String, to state: SimulatedDeviceState, now: Int64, in ring: PushRing
    ) -> Device? {
        let token = token.lowercased()
        if state == .online {
            set.remove(token)
        } else {
            guard set.count < Self.mostSet || set.contains(token) else { return nil }
            set.insert(token)
        }
        return use(token) { device in
            device.catchUp(now: now, in: ring)
            device.machine.change(to: state, now: now)
            return device
        }
    }

    /// A device as it is now; nil if nothing is known about it.
    mutating func device(_ token: String, now: Int64, in ring: PushRing) -> Device? {
        let token = token.lowercased()
        guard recent[token] != nil || older[token] != nil else { return nil }
        return use(token) { device in
            device.catchUp(now: now, in: ring)
            return device
        }
    }

    /// The devices, the one with the newest push first. Those without a push come before them.
    mutating func newest(
        _ count: Int, from start: Int, now: Int64, in ring: PushRing
    ) -> [(token: String, device: Device)] {
        let times = [recent, older].flatMap { $0.map { (token: $0.key, time: $0.value.lastPush ?? .max) } }
        let order = times.sorted { ($0.time, $1.token) > ($1.time, $0.token) }
        return order.dropFirst(start).prefix(count).compactMap { entry in
            device(entry.token, now: now, in: ring).map { (entry.token, $0) }
        }
    }

    mutating func removeAll() {
        let seen = seen
        self = DeviceBook()
        self.seen = seen
    }

    /// Changes a device, which is new if it was unknown.
    private mutating func use<Result>(_ token: String, _ body: (inout Device) -> Result) -> Result {
        if recent[token] == nil {
            makeRoom()
            recent[token] = older.removeValue(forKey: token) ?? Device()
        }
        return body(&recent[token, default: Device()])
    }

    /// Forgets those that were not used for long, but none whose state was set.
    private mutating func makeRoom() {
        guard recent.count >= Self.most / 2 else { return }
        let kept = older.filter { set.contains($0.key) }
        older = recent
        recent = kept
    }
}

extension DeviceBook.Device {
    fileprivate mutating func note(_ number: Int) {
        unseen.append(number)
        // Now and then, so that it costs little.
        if unseen.count >= 2 * DeviceMachine.mostOutcomes { unseen.removeFirst(DeviceMachine.mostOutcomes) }
    }

    fileprivate mutating func catchUp(now: Int64, in ring: PushRing) {
        for push in unseen.compactMap(ring.push(numbered:)) { machine.receive(DeviceArrival(push)) }
        unseen = []
        machine.advance(to: now)
    }
}
