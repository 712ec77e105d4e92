/// What a device does with the pushes that APNs accepted, without a clock: pushes, states and times go in, and the list
/// of what its user would have seen changes.
///
/// Apple documents some of it and leaves the rest to the system. What is modelled: "Sending notification requests to APNs"
/// (`apns-expiration`, `apns-priority`, `apns-collapse-id`), "Pushing background updates to your app" (two or three an
/// hour), "Starting and updating Live Activities with ActivityKit push notifications" (timestamps, dismissal, eight hours),
/// and that APNs keeps one notification for each bundle id of a device that is offline.
struct DeviceMachine: Sendable {
    /// How many outcomes are remembered, the newest ones.
    static let mostOutcomes = 200
    /// How many background pushes are let through in an hour.
    static let backgroundPerHour = 3
    /// How long a push without an expiration is stored, in milliseconds: 30 days. Apple names no time; this is a guess.
    static let storedTime: Int64 = 30 * 86_400_000
    /// How many apps of one token it distinguishes. A real token belongs to one app.
    static let mostApps = 20

    private(set) var state = SimulatedDeviceState.online
    /// What became of each push, in the order of arrival.
    private(set) var outcomes: [DeviceOutcome] = []
    /// The badge of the last push that had one, by app.
    private(set) var badges: [String: Int] = [:]
    /// The Live Activity, until another one starts.
    private(set) var activity: DeviceActivity?

    /// What waits, in the order of arrival. Offline one for each app, asleep those of low priority.
    private var held: [DeviceArrival] = []
    /// What is on the lock screen, by app and collapse id.
    private var collapsed: [CollapseKey: Int] = [:]
    /// When background pushes were let through in the last hour, by app.
    private var launches: [String: [Int64]] = [:]

    struct CollapseKey: Hashable, Sendable {
        let app: String
        let id: String
    }

    /// How many pushes wait.
    var waiting: Int { held.count }

    /// When something changes by itself; nil if nothing does.
    var nextDue: Int64? {
        (held.compactMap(expiry) + [activity?.nextDue].compactMap(\.self)).min()
    }

    // MARK: Events

    /// A push was accepted.
    mutating func receive(_ arrival: DeviceArrival) {
        advance(to: arrival.time)
        switch state {
        case .online, .muted: deliver(arrival, now: arrival.time)
        case .asleep where arrival.wakes: deliver(arrival, now: arrival.time)
        case .asleep: hold(arrival, as: .waiting, why: "Priority \(arrival.priority) waits until the device wakes.")
        case .offline: store(arrival)
        // Pushes that came before the answer changed.
        case .removed, .wrongEnvironment: break
        }
    }

    /// The state was changed.
    mutating func change(to new: SimulatedDeviceState, now: Int64) {
        advance(to: now)
        state = new
        switch new {
        case .online, .muted: release(now) { _ in true }
        case .asleep: release(now, where: \.wakes)
        case .removed, .wrongEnvironment:
            for arrival in held {
                note(arrival.number, as: .dropped, why: "The app is gone, so it is never delivered.", at: now)
            }
            held = []
            collapsed = [:]
            activity = nil
        case .offline: break
        }
    }

    /// Delivers what waits and is meant, in the order of arrival.
    private mutating func release(_ now: Int64, where isMeant: (DeviceArrival) -> Bool) {
        let due = held.filter(isMeant)
        held.removeAll(where: isMeant)
        for arrival in due { deliver(arrival, now: now) }
    }

    /// Time passed.
    mutating func advance(to now: Int64) {
        let late = held.filter { expiry($0).map { $0 <= now } ?? false }
        for arrival in late {
            note(arrival.number, as: .expired, why: "Its expiration passed before it was delivered.", at: now)
        }
        if !late.isEmpty { held.removeAll { arrival in late.contains { $0.number == arrival.number } } }
        activity?.advance(to: now)
    }

    // MARK: At APNs

    private mutating func store(_ arrival: DeviceArrival) {
        if arrival.expiration == 0 {
            return note(
                arrival.number, as: .expired,
                why: "With the expiration 0 there is one attempt, and the device is offline.",
                at: arrival.time)
        }
        let isSame = { (held: DeviceArrival) in held.collapseID != nil && held.collapseID == arrival.collapseID }
        for old in held where old.app == arrival.app {
            if isSame(old) {
                note(
                    old.number, as: .replaced, why: "Push \(arrival.number) has the same collapse id.", at: arrival.time
                )
            } else {
                note(
                    old.number, as: .dropped,
                    why: "APNs keeps one push for each app while a device is offline: "
                        + "push \(arrival.number) took its place.", at: arrival.time)
            }
        }
        held.removeAll { $0.app == arrival.app }
        hold(arrival, as: .stored, why: "It waits at APNs until the device is online.")
    }

    private mutating func hold(_ arrival: DeviceArrival, as fate: DeviceOutcome.Fate, why: String) {
        if fate == .waiting, arrival.expiration == 0 {
            return note(
                arrival.number, as: .expired,
                why: "With the expiration 0 there is one attempt, and the device is asleep.",
                at: arrival.time)
        }
        if let id = arrival.collapseID,
            let old = held.firstIndex(where: { $0.app == arrival.app && $0.collapseID == id })
        {
            note(
                held[old].number, as: .replaced, why: "Push \(arrival.number) has the same collapse id.",
                at: arrival.time)
            held.remove(at: old)
        }
        held.append(arrival)
        note(arrival.number, as: fate, why: why, at: arrival.time)
        // Bounded, as everything that grows with what others send.
        if held.count > Self.mostOutcomes {
            note(
                held.removeFirst().number, as: .dropped, why: "More than \(Self.mostOutcomes) pushes waited.",
                at: arrival.time)
        }
    }

    private func expiry(_ arrival: DeviceArrival) -> Int64? {
        guard let expiration = arrival.expiration else { return arrival.time + Self.storedTime }
        let (milliseconds, overflow) = expiration.multipliedReportingOverflow(by: 1_000)
        return overflow ? nil : milliseconds
    }

    // MARK: On the device

    private mutating func deliver(_ arrival: DeviceArrival, now: Int64) {
        switch arrival.effect {
        case .notification(let notification): show(notification, arrival, now)
        case .background: launch(arrival, now)
        case .activity(let change): apply(change, arrival, now)
        case .urgent: note(arrival.number, as: .launched, why: "The app was started at once.", at: now)
        case .unseen: note(arrival.number, as: .done, why: "The system took it; a user sees nothing of it.", at: now)
        }
    }

    private mutating func show(_ notification: DeviceNotification, _ arrival: DeviceArrival, _ now: Int64) {
        if let badge = notification.badge, badges.count < Self.mostApps || badges[arrival.app] != nil {
            badges[arrival.app] = badge
        }
        guard notification.title != nil || notification.subtitle != nil || notification.body != nil else {
            let effects = [notification.badge.map { "the badge is \($0)" }, notification.sound.map { _ in "a sound" }]
            let words = effects.compactMap(\.self).joined(separator: ", ")
            return note(arrival.number, as: .done, why: words.isEmpty ? "Nothing is shown." : "Only \(words).", at: now)
        }
        if let id = arrival.collapseID {
            let key = CollapseKey(app: arrival.app, id: id)
            if let old = collapsed[key] {
                note(old, as: .replaced, why: "Push \(arrival.number) has the same collapse id.", at: now)
            }
            if collapsed.count < Self.mostOutcomes || collapsed[key] != nil { collapsed[key] = arrival.number }
        }
        let breaksThrough = notification.level == .timeSensitive || notification.level == .critical
        if state == .muted, !breaksThrough {
            note(arrival.number, as: .quiet, why: "A focus holds back what is not time-sensitive.", at: now)
        } else if notification.level == .passive {
            note(arrival.number, as: .quiet, why: "A passive notification lights no screen.", at: now)
        } else {
            note(
                arrival.number, as: .shown,
                why: state == .muted ? "It breaks through the focus." : "On the lock screen.", at: now)
        }
    }

    private mutating func launch(_ arrival: DeviceArrival, _ now: Int64) {
        let recent = (launches[arrival.app] ?? []).filter { $0 > now - 3_600_000 }
        guard recent.count < Self.backgroundPerHour else {
            launches[arrival.app] = recent
            return note(
                arrival.number, as: .throttled,
                why: "More than \(Self.backgroundPerHour) background pushes in an hour: the system drops the rest.",
                at: now)
        }
        if launches.count >= Self.mostApps { launches = launches.filter { $0.value.contains { $0 > now - 3_600_000 } } }
        if launches.count < Self.mostApps || launches[arrival.app] != nil { launches[arrival.app] = recent + [now] }
        note(arrival.number, as: .launched, why: "The app ran in the background.", at: now)
    }

    private mutating func apply(_ change: ActivityChange, _ arrival: DeviceArrival, _ now: Int64) {
        if change.event == .start {
            activity = DeviceActivity(number: arrival.number, change, now: now)
            return note(arrival.number, as: .shown, why: "The Live Activity started.", at: now)
        }
        if let activity, activity.isEnded {
            return note(arrival.number, as: .ignored, why: "The Live Activity has ended.", at: now)
        }
        if let activity, change.timestamp < activity.timestamp {
            return note(arrival.number, as: .ignored, why: "A push with a later timestamp was here already.", at: now)
        }
        if let activity {
            note(activity.number, as: .replaced, why: "Push \(arrival.number) is its newer state.", at: now)
        }
        // The app may have started it.
        var next = activity ?? DeviceActivity(number: arrival.number, change, now: now)
        next.follow(change, number: arrival.number, now: now)
        activity = next
        guard change.event == .end else {
            return note(arrival.number, as: .shown, why: "The Live Activity has a new state.", at: now)
        }
        let minutes = (next.leavesAt - now) / 60_000
        note(
            arrival.number, as: .ended,
            why: next.isGone
                ? "The Live Activity ended, and left the lock screen at once."
                : "The Live Activity ended, and stays on the lock screen for \(minutes) min.", at: now)
    }

    // MARK: Outcomes

    private mutating func note(_ number: Int, as fate: DeviceOutcome.Fate, why: String, at now: Int64) {
        let outcome = DeviceOutcome(number: number, fate: fate, why: why, time: now)
        if let index = outcomes.lastIndex(where: { $0.number == number }) {
            outcomes[index] = outcome
        } else {
            outcomes.append(outcome)
            if outcomes.count > Self.mostOutcomes { outcomes.removeFirst(outcomes.count - Self.mostOutcomes) }
        }
    }
}
