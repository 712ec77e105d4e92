/// How a device is reached, and what its user lets it show.
enum SimulatedDeviceState: String, Sendable, Hashable, CaseIterable {
    /// Reached at once.
    case online
    /// Not reached: APNs keeps at most one push for each app.
    case offline
    /// Reached, but priority 5 and 1 wait until it wakes.
    case asleep
    /// In a focus: notifications go to its list, and only time-sensitive and critical ones are seen at once.
    case muted
    /// The app was removed: pushes get 410 from then on.
    case removed
    /// The token is of the other environment: pushes get 400 `BadDeviceToken`.
    case wrongEnvironment = "wrong_environment"

    /// Whether APNs accepts pushes to it.
    var isReachable: Bool { self != .removed && self != .wrongEnvironment }
}

/// An accepted push, as far as a device cares.
struct DeviceArrival: Sendable, Hashable {
    /// What the push asks a device to do.
    enum Effect: Sendable, Hashable {
        /// A notification.
        case notification(DeviceNotification)
        /// The app runs for a moment, and nothing is shown.
        case background
        /// A Live Activity starts, changes or ends.
        case activity(ActivityChange)
        /// A call or another thing that the app must act on at once: VoIP, Push to Talk.
        case urgent
        /// Nothing that a user sees: widgets, complications, location, file provider, controls, MDM.
        case unseen
    }

    let number: Int
    /// The bundle id: the topic without the suffix of the push type.
    let app: String
    let priority: Int
    /// Seconds since 1970; 0 for one attempt, nil for APNs' own policy.
    let expiration: Int64?
    let collapseID: String?
    let effect: Effect
    /// Milliseconds since 1970.
    let time: Int64

    /// Whether a device that sleeps gets it at once.
    var wakes: Bool { priority >= 10 || effect == .urgent }
}

/// A notification on a lock screen.
struct DeviceNotification: Sendable, Hashable {
    enum Level: String, Sendable, Hashable {
        case passive, active
        case timeSensitive = "time-sensitive"
        case critical
    }

    var title: String?
    var subtitle: String?
    var body: String?
    var thread: String?
    var sound: String?
    var badge: Int?
    var level = Level.active
}

/// What a push asks of a Live Activity. Its device token is that of the one activity, or of starting one.
struct ActivityChange: Sendable, Hashable {
    enum Event: String, Sendable, Hashable {
        case start, update, end
    }

    let event: Event
    /// Seconds since 1970. An older one than that of the last change is ignored.
    let timestamp: Int64
    /// Seconds since 1970: when an ended activity leaves the lock screen.
    var dismissal: Int64?
    var stale: Int64?
}

/// What became of an accepted push on its device.
struct DeviceOutcome: Sendable, Hashable {
    enum Fate: String, Sendable, Hashable, CaseIterable {
        /// Seen at once.
        case shown
        /// In the list of notifications, without sound or light.
        case quiet
        /// It changed the app's badge or did something else that is not a notification.
        case done
        /// The app ran for it in the background.
        case launched
        /// It waits at APNs until the device is reached.
        case stored
        /// It waits at APNs or on the device until the device wakes.
        case waiting
        /// A later push with its collapse id took its place.
        case replaced
        /// A later push took the one place that APNs has for this app.
        case dropped
        /// Its expiration passed before it was delivered.
        case expired
        /// There were too many background pushes.
        case throttled
        /// The Live Activity had ended, or had a later timestamp.
        case ignored
        /// The activity ended, and this is its last state.
        case ended
    }

    let number: Int
    var fate: Fate
    /// Why, as a sentence.
    var why: String
    /// When it became so, in milliseconds since 1970.
    var time: Int64
}
