import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

/// Flow control in a random life.
extension RandomLife {
    /// Notifications with bodies of several sizes.
    private static let notifications = [1, 200, 1_000, 3_500].map {
        PushNotification.alert(title: "", body: String(repeating: "x", count: $0))
    }

    mutating func randomPush(to device: Int) -> Push {
        let usual = MachineSamples.push(to: device)
        let other = Self.notifications.randomElement(using: &random).map { Push($0, to: usual.deviceToken) }
        return Bool.random(using: &random) ? usual : other ?? usual
    }

    /// The peer of a link gives bytes, or changes what it takes.
    mutating func changeWindows() {
        guard let link = current.windows.keys.sorted().randomElement(using: &random),
            var windows = current.windows[link]
        else { return }
        windows.change(&random)
        current.windows[link] = windows
        apply(.burst(LinkID(number: link), [], hasBytes: true))
    }

    /// What the session of the current link knows of its peer.
    private var currentWindow: (link: LinkID, known: SendWindow, now: SendWindow)? {
        guard let (link, known) = machine.knownWindow, let windows = current.windows[link.number] else { return nil }
        return (link, known, windows.sendWindow)
    }

    /// The machine learns what its peer takes.
    mutating func noteWindow() {
        if let (link, known, now) = currentWindow, known != now { perform(.window(link, now)) }
    }

    /// Writes, unless a socket takes nothing. True if a body has left that kept others waiting.
    mutating func flush() -> Bool {
        for link in current.windows.keys.sorted() where Int.random(in: 0..<8, using: &random) > 0 {
            current.windows[link]?.flush()
        }
        return currentWindow.map { $0.known.isBlocked && !$0.now.isBlocked } ?? false
    }

    /// A push begins only if the windows take it whole, or alone; before anything was answered, few begin.
    mutating func noteBegin(_ link: UInt32, _ stream: Int32, _ record: PushRecord) {
        guard let windows = current.windows[link] else { Issue.record("a push on a link that is not up"); return }
        let open = current.open[link]?.count ?? 0
        if !windows.mayBegin(record.size, open: open) {
            Issue.record("\(record.size) bytes of \(record.id.number) began with \(windows)")
        }
        if !windows.mayHave(open: open + 1) { Issue.record("too many before the first answer: \(windows)") }
        current.windows[link]?.begin(stream, record.size)
    }

    /// How a push has been written whose body may still be on its way.
    mutating func writeFate(of stream: Int32, on link: UInt32, _ fates: [WriteFate]) -> WriteFate {
        let isOnItsWay = current.windows[link]?.isOnItsWay(stream) == true
        let possible = isOnItsWay ? fates.filter { $0 != .written } : fates
        return possible.randomElement(using: &random) ?? .written
    }

    /// No push waits beside a connection whose link and windows take it.
    func checkThatNoneIsForgotten() {
        guard let first = room.table[room.ready.first] else { return }
        for connection in connections where !connection.isDown && !connection.isRetired && !connection.hasStopped {
            let readiness = connection.machine.readiness(now)
            // The first in call order decides.
            let bound = room.table[room.holders.boundFirst(connection.holder)].map(\.record.size) ?? 0
            if readiness.free > 0, readiness.quietAt > now, readiness.bodies.takes(max(bound, first.record.size)) {
                Issue.record("\(first.record.id.number) of \(first.record.size) waits beside \(readiness)")
            }
        }
    }

    /// The peers take everything: whatever waits for windows alone is submitted at once.
    mutating func openWide() {
        for index in connections.indices where !connections[index].isDown && !connections[index].hasStopped {
            turn = index
            guard let link = machine.current?.id.number else { continue }
            current.windows[link]?.openWide()
            current.windows[link]?.flush()
            apply(.burst(LinkID(number: link), [], hasBytes: true))
            let readiness = machine.readiness(now)
            guard !current.isRetired, readiness.free > 0, readiness.quietAt > now, !readiness.isThrottled else {
                continue
            }
            if !room.ready.isEmpty { Issue.record("\(room.ready.count) wait beside \(readiness)") }
        }
    }
}
