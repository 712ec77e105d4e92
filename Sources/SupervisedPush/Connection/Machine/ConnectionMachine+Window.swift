import ProcessRuntime
import PushHTTP2

/// Links whose peer takes no more bytes (RFC 9113, section 5.2): pushes wait in the room until it does.
extension ConnectionMachine {
    mutating func windowChanged(_ id: LinkID, to window: SendWindow) {
        guard let link = current, link.id == id else { return }
        if window.granted != link.window.granted, link.shortSince != nil { current?.shortSince = now }
        current?.window = window
        guard link.alone >= 0, !window.isBlocked else { return }
        // It has left, or it has ended. From now on, it may be answered.
        current?.alone = -1
        guard table[link.alone]?.link == id else { return }
        table[link.alone]?.writtenAt = now
        current?.liveness.wrote(now, policy: settings.liveness)
    }

    /// The current link, and what it took when that was last known.
    var knownWindow: (link: LinkID, window: SendWindow)? { current.map { ($0.id, $0.window) } }

    /// Whether `followWindow` wants to hear of every look at the room.
    var followsWindow: Bool {
        guard let link = current else { return false }
        return link.window.isBlocked || link.shortSince != nil || shortage.awaitsProof
    }

    /// After a look at the room. If nothing of the window comes for the stall time while pushes wait for it, a successor
    /// takes over.
    ///
    /// - Parameter isShort: The next push waits for the window.
    mutating func followWindow(isShort: Bool) {
        guard let link = current else { return }
        guard isShort || link.window.isBlocked else {
            current?.shortSince = nil
            if shortage.awaitsProof { currentIsProven() }
            return
        }
        let since = link.shortSince ?? now
        current?.shortSince = since
        if since.advanced(by: settings.liveness.stall) <= now { replaceShort(link) }
    }

    /// The first such link gets a successor at once. After that it counts as an attempt that failed.
    private mutating func replaceShort(_ link: UpLink) {
        let hasFailed = shortage.note(link, now, usefulAfter: settings.usefulAfter)
        replaceByForce("flow control", cause: .short(of: settings.liveness), hasFailed: hasFailed)
        shortage.awaitsProof = true
        takeBackUnwritten(of: link.id)
    }

    /// A push was answered, or none waits for the window.
    mutating func currentIsProven() {
        shortage.awaitsProof = false
        guard let link = current else { return }
        announce(.connectionUp(generation: link.generation))
    }

    /// A link that was not announced as up is not announced as draining.
    mutating func announceDraining(_ link: UpLink, reason: String?) {
        if !shortage.awaitsProof { announce(.draining(generation: link.generation, reason: reason)) }
    }
}

/// The links that took no more bytes, one after the other.
struct WindowShortage {
    /// The last link took no more bytes, and no later one has proven to be better. The next one is not announced as up
    /// before it does: an outage goes on.
    var awaitsProof = false
    /// The last link did so.
    private var isRepeated = false

    /// Notes that a link takes no more bytes. True if that happened to the one before, too: it counts as a failed attempt.
    mutating func note(_ link: UpLink, _ now: MonotonicInstant, usefulAfter: Duration) -> Bool {
        let wasFine = (link.shortSince ?? now) >= link.upSince.advanced(by: usefulAfter)
        defer { isRepeated = true }
        return isRepeated && !wasFine
    }
}

extension LinkFailure {
    fileprivate static func short(of policy: PushConnection.Configuration.Liveness) -> Self {
        Self(.http2, "\(noMoreBytes) Pushes waited, and it granted none for \(policy.stall).")
    }
}
