import DequeModule
import PushLocking
import PushSimulator
import PushTerminal
import SupervisedPush

/// What the API does, without HTTP: each call takes plain values and gives JSON.
struct InboxService: Sendable {
    let apple: SimulatedAPNs
    let store: InboxStore
    let sessions = Locked(SessionBook())

    /// How many rules there may be at once.
    static let mostRules = 1_000

    init(_ apple: SimulatedAPNs, limits: InboxLimits) {
        self.apple = apple
        store = InboxStore(limits: limits)
    }

    var now: Int64 { apple.wallClockMilliseconds }

    func filter(_ parameters: [String: String], session: String?) throws(InboxProblem) -> PushFilter {
        try PushFilter(parameters, sessions: sessions.withLock { $0.sessions }, header: session)
    }

    // MARK: Pushes

    /// A page of pushes, newest last, and what `after` takes for the next one. With `before` those before a number, and
    /// without both the newest.
    func list(_ filter: PushFilter, _ page: PushPage) -> [UInt8] {
        store.expire(now: now)
        let ring = store.pushes
        var found: [InboxPush] = []
        var next = ring.next - 1
        if let after = page.after {
            for push in ring.pushes[ring.index(after: after)...] where filter.matches(push) {
                found.append(push)
                guard found.count == page.limit else { continue }
                next = push.number
                break
            }
        } else {
            let end = page.before.map { ring.index(after: $0 - 1) } ?? ring.pushes.endIndex
            for push in ring.pushes[..<end].reversed() where filter.matches(push) {
                found.append(push)
                if found.count == page.limit { break }
            }
            found.reverse()
        }
        var object = JSONObject()
        object.add("pushes", list: found.map { page.isSummary ? $0.summary : $0.listed })
        object.add { $0.add("next", next) }
        return object.json
    }

    func push(_ number: Int) throws(InboxProblem) -> [UInt8] {
        guard let push = store.push(numbered: number) else {
            throw .notFound("There is no push \(number), or it made room for others.")
        }
        return push.detail
    }

    func removePushes(_ filter: PushFilter) -> [UInt8] {
        let count = store.remove(where: filter.matches)
        if filter.isEmpty { forgetDevices() }
        var object = JSONLine()
        object.add("removed", count)
        return object.line
    }

    /// Waits for that many pushes, and returns them; the problem 408 if the time passed first.
    func wait(for count: Int, _ filter: PushFilter, after: Int, within timeout: Duration) async throws(InboxProblem)
        -> [UInt8]
    {
        let end = ContinuousClock.now + timeout
        var position = InboxPosition(push: after, event: .max)
        var found: [InboxPush] = []
        while true {
            let version = store.version
            let news = store.news(after: position)
            position = news.position
            position.event = .max
            for push in news.pushes where found.count < count && filter.matches(push) { found.append(push) }
            if found.count >= count { break }
            let left = end - .now
            guard left > .zero, !news.isClosed, !Task.isCancelled else {
                throw missing(count, filter: filter, found: found)
            }
            await store.waitForChange(after: version, within: left)
        }
        var object = JSONObject()
        object.add("pushes", list: found.map(\.listed))
        object.add { $0.add("next", found.last?.number ?? after) }
        return object.json
    }

    private func missing(_ count: Int, filter: PushFilter, found: [InboxPush]) -> InboxProblem {
        var problem = InboxProblem(
            408, name: "missing-pushes", title: "The pushes did not come.",
            detail: "\(count) were waited for, and \(found.count) came. The near misses differ least.")
        let ring = store.pushes
        let misses = NearMiss.closest(to: filter, in: ring.pushes)
        problem.members = [
            .init(name: "came", json: Array("\(found.count)".utf8)),
            .init(name: "pushes", json: JSONList.json(found.map(\.listed))),
            .init(name: "near_misses", json: JSONList.json(misses.map(\.json))),
        ]
        return problem
    }

    /// What the page shows of the whole.
    var status: [UInt8] {
        let totals = store.totals
        let (credentials, limits) = (apple.credentials, store.limits)
        var object = JSONLine()
        object.add("accepted", totals.accepted)
        object.add("refused", totals.refusals.values.reduce(0, +))
        object.add("kept", totals.kept)
        object.add("kept_bytes", totals.keptBytes)
        object.add("evicted", totals.evicted)
        object.add("next", totals.next - 1)
        object.add("most_pushes", limits.pushes)
        object.add("most_bytes", limits.bytes)
        object.add("connections", apple.connectionCount)
        object.add("apns_port", apple.port)
        object.add("apns_host", apple.configuration.host)
        object.add("topic", credentials.topic)
        object.add("key_id", credentials.keyID)
        object.add("team_id", credentials.teamID)
        object.add("now", UTC.text(milliseconds: now))
        return object.line
    }

    // MARK: Rules and connections

    func rules() -> [UInt8] {
        var object = JSONObject()
        object.add("rules", list: apple.faults.reports.map(\.json))
        return object.json
    }

    func addRule(_ json: [UInt8]) throws(InboxProblem) -> (id: Int, json: [UInt8]) {
        guard apple.faults.reports.count < Self.mostRules else {
            throw .tooMany("There are \(Self.mostRules) rules; remove some.")
        }
        let rule: FaultRule
        do { rule = try FaultRule(json: json) } catch { throw .body(error.description) }
        let id = apple.faults.add(rule).number
        store.changed(.rules)
        return (id, apple.faults.reports.first { $0.number == id }?.json ?? [])
    }

    func rule(_ id: Int) throws(InboxProblem) -> [UInt8] {
        guard let report = apple.faults.reports.first(where: { $0.number == id }) else {
            throw .notFound("There is no rule \(id).")
        }
        return report.json
    }

    func removeRule(_ id: Int) throws(InboxProblem) {
        guard apple.faults.remove(number: id) else { throw .notFound("There is no rule \(id).") }
        store.changed(.rules)
    }

    func removeRules() {
        apple.faults.removeAll()
        store.changed(.rules)
    }

    func connections() -> [UInt8] {
        var object = JSONObject()
        object.add("connections", list: apple.connectionReports.map(\.json))
        return object.json
    }

    func act(_ action: String, on number: Int) throws(InboxProblem) {
        guard let id = apple.connections.first(where: { $0.number == number }) else {
            throw .notFound("There is no open connection \(number).")
        }
        switch action {
        case "goaway": apple.goAway(on: .only(id))
        case "cut": apple.perform(.cut(.reset), on: .only(id))
        case "mute": apple.mute(on: .only(id))
        case "unmute": apple.unmute(on: .only(id))
        default: throw .notFound("The actions are goaway, cut, mute and unmute.")
        }
    }

    /// Forgets pushes, rules, devices and sessions, for a new test. Counters go on.
    func reset() {
        _ = store.remove { _ in true }
        removeRules()
        forgetDevices()
        sessions.withLock { $0.removeAll() }
        store.changed(.sessions)
    }
}

/// Which part of a list is meant.
struct PushPage: Sendable {
    static let most = 1_000
    var after: Int?
    var before: Int?
    var limit = 100
    var isSummary = false
}
