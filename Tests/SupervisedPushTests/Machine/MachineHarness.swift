import ProcessRuntime
import PushHTTP2
import PushTransport

@testable import SupervisedPush

/// Feeds a connection machine and the room it pulls from, and reads what they decide as short lines, so that tests can equal whole lists.
///
/// After each event machine and room exchange what they have, as a process does at the end of its drain.
/// `withdraw` is answered at once with the fate that `fates` holds for the slot's push, `written` by default, as the
/// interpreter would; the line of the `withdraw` itself is left out. So is `renewToken`, with what `renewals` holds. A link
/// that is given up is lost at once, with the same fates. Links are never asked whether they live, unless the settings say
/// so.
struct MachineHarness {
    var machine: ConnectionMachine
    var room: WaitingRoom
    private(set) var holder: WaitingRoom.HolderID
    private var changes = RoomChanges()
    var now = MonotonicInstant(nanoseconds: 0)
    var fates: [UInt64: WriteFate] = [:]
    /// What has arrived of the answers to pushes, where a status has.
    var partialAnswers: [UInt64: PushResponse] = [:]
    /// Of each attempt to connect, whether what it shows was to be loaded again.
    private(set) var refreshes: [Bool] = []
    /// Whether there is a newer token, for each time it is asked; true when they are used up.
    var renewals: [Bool] = []
    /// What the peer takes of each push and gives back at once; nil: a test says what it takes.
    var window: SendWindow? = SendWindow()
    /// False: it takes that once.
    var givesBack = true
    private(set) var tokensAskedFor = 0
    /// Streams that were opened and not seen to end, by link and stream.
    private(set) var slots: [UInt64: Int32] = [:]
    private(set) var outcomes: [UInt64: [String]] = [:]
    /// Why the latest pause began.
    private(set) var cause: LinkFailure?

    init(
        _ settings: ConnectionSettings = ConnectionSettings(), room roomSettings: RoomSettings = RoomSettings(),
        wasAccepted: Bool = true
    ) {
        room = WaitingRoom(roomSettings, budget: ByteBudget(limit: .max), seed: 1)
        if wasAccepted { _ = room.health.judge(PushResponse(status: 200), isProbe: false) }
        holder = room.holders.join()
        machine = ConnectionMachine(
            settings: settings, process: ProcessID(7), seed: 1, credential: ShownCredential(isHealthy: wasAccepted))
    }

    /// A machine with a link that is up.
    static func up(
        limit: Int = 1_000, _ settings: ConnectionSettings = ConnectionSettings(),
        room: RoomSettings = RoomSettings(), wasAccepted: Bool = true
    ) -> MachineHarness {
        var harness = MachineHarness(settings, room: room, wasAccepted: wasAccepted)
        _ = harness.feed(.start)
        _ = harness.feed(.settings(link(1), maxStreams: limit))
        return harness
    }

    static func link(_ number: UInt32) -> LinkID { LinkID(number: number) }

    mutating func advance(by duration: Duration) -> [String] {
        now = now.advanced(by: duration)
        let lines = feed(.tick)
        return lines + change { room in room.tick() }
    }

    mutating func feed(_ event: ConnectionMachine.Event) -> [String] {
        switch event {
        case .cancel(let record):
            var isHeld = false
            let lines = change { room in isHeld = room.cancel(record) != nil }
            return isHeld ? lines + drain(event) : lines
        case .close(let deadline):
            let lines = change { room in room.close(deadline) }
            return lines + drain(event)
        default: return drain(event)
        }
    }

    /// What the machine does with an event, and what follows from it.
    private mutating func drain(_ event: ConnectionMachine.Event) -> [String] {
        var lines = perform(event)
        for _ in 0..<10 {
            if let window, let (link, known) = machine.knownWindow, known != window {
                lines += perform(.window(link, window))
                if !givesBack { self.window = nil }
            }
            room.begin(now)
            let supply = room.exchange(holder, changes: &changes, readiness: machine.readiness(now))
            changes.removeAll()
            let effects = room.finish()
            lines += note(effects)
            if !supply.isNone || machine.followsWindow { lines += perform(.taken(supply)) }
            if effects.woken != WaitingRoom.nobody { lines += perform(.pushesWait) }
            if supply.isNone || changes.isEmpty && supply.pushes.isEmpty { break }
        }
        return lines
    }

    /// Changes the room, and has the machine hear of it.
    mutating func change(_ body: (inout WaitingRoom) -> Void) -> [String] {
        room.begin(now)
        body(&room)
        let effects = room.finish()
        var lines = note(effects)
        if effects.probes != nil { lines += drain(.credential(.probe)) }
        if effects.probeOver != nil { lines += drain(.credential(.probeOver)) }
        if effects.woken != WaitingRoom.nobody { lines += drain(.pushesWait) }
        return lines
    }

    private mutating func note(_ effects: RoomEffects) -> [String] {
        var lines: [String] = []
        if let opening = effects.opening { lines.append(Self.text(.retriesStopped(opening))) }
        for ending in effects.endings {
            lines.append(note(ending.trace.record, ending.outcome(nil)))
        }
        return lines
    }

    /// The process fails; its successor is ready to start.
    mutating func fail(_ lost: [LostLink] = []) -> [String] {
        var actions: [ConnectionAction] = []
        machine.extractPushes(lost, now, into: &actions)
        var lines: [String] = []
        for action in actions {
            switch action {
            case .giveBack(let push): changes.returned.append(push)
            case .noteAnswer(let answer): changes.answers.append(answer)
            default: lines.append(note(action))
            }
        }
        room.begin(now)
        room.leave(holder, changes: &changes)
        changes.removeAll()
        let effects = room.finish()
        lines += note(effects)
        holder = room.holders.join()
        machine = ConnectionMachine(
            settings: machine.settings, process: ProcessID(8), seed: 1,
            credential: ShownCredential(refusal: room.health.refusal, isHealthy: room.health.isHealthy))
        slots = [:]
        return lines
    }

    private mutating func perform(_ event: ConnectionMachine.Event) -> [String] {
        var actions: [ConnectionAction] = []
        machine.handle(event, now, into: &actions)
        var lines: [String] = []
        var index = 0
        while index < actions.count {
            switch actions[index] {
            case .withdraw(_, _, let slot):
                if let entry = machine.table[slot] {
                    let number = entry.record.id.number
                    let answered = partialAnswers[number].map { WireState.answered($0) }
                    let state = answered ?? .written(fates[number] ?? .written)
                    machine.handle(.withdrawn(slot: slot, state), now, into: &actions)
                }
            case .renewToken(_, let link, let slot, let response):
                tokensAskedFor += 1
                let isNewer = renewals.isEmpty ? true : renewals.removeFirst()
                machine.handle(
                    .tokenChecked(link, slot: slot, isNewer: isNewer, response), now, into: &actions)
            case .giveBack(let push): changes.returned.append(push)
            case .noteAnswer(let answer): changes.answers.append(answer)
            case .noteSettings: changes.hasSettings = true
            case .noteSettled: changes.settledStreams += 1
            case .judge(let response, let isProbe, let isReplaced):
                room.begin(now)
                let accepted = changes.accepted > 0
                changes.accepted = 0
                let news = room.judge(
                    response, isProbe: isProbe, isReplaced: isReplaced, after: accepted)
                lines += note(room.finish())
                machine.handle(.judged(news, isOwn: true, isHealthy: room.health.isHealthy), now, into: &actions)
            case .refuseCredential(let refusal, let isProbe):
                room.begin(now)
                let (news, wasKnown) = room.refuse(refusal, isProbe: isProbe)
                lines += note(room.finish())
                machine.handle(.judged(news, isOwn: !wasKnown, isHealthy: false), now, into: &actions)
            case .probeEnded:
                room.begin(now)
                room.probeEnded(by: holder)
                lines += note(room.finish())
            default:
                lines.append(note(actions[index]))
                if case .breakLink(let link, let cause) = actions[index] {
                    machine.handle(.linkLost(link, cause, lostStreams(of: link)), now, into: &actions)
                } else if case .acceptOffer = actions[index] {
                    room.begin(now)
                    room.renewCredential()
                    _ = room.finish()
                }
            }
            index += 1
        }
        return lines
    }

    private func lostStreams(of link: LinkID) -> [LostStream] {
        machine.table.slots.compactMap { slot in
            guard let entry = machine.table[slot], entry.link == link else { return nil }
            return LostStream(slot: slot, fate: fates[entry.record.id.number] ?? .written, answer: nil)
        }
    }

    /// Pushes with these numbers; they time out 10 s from now unless `times` says otherwise.
    mutating func push(_ numbers: UInt64..., times: PushTimes? = nil) -> [String] {
        offer(numbers.map { record($0, times) })
    }

    /// Pushes are called, in this order; those that are refused at the call stand in the lines as ended.
    mutating func offer(_ records: [PushRecord], _ whenFull: WhenFull = .wait) -> [String] {
        var refused: [(PushRecord, PushError)] = []
        let lines = change { room in
            for record in records {
                switch room.offer(record, outcome: .nobody, whenFull: whenFull) {
                case nil: break
                case .withdrawn: refused.append((record, .cancelledBeforeTheCall(record.id)))
                case .closed: refused.append((record, .closed(record.id)))
                case .credential(let refusal): refused.append((record, .credentialRefused(record.id, refusal: refusal)))
                case .full(let load, let isBudget):
                    refused.append((record, .overloaded(load, isBudget: isBudget, outage: nil, pushID: record.id)))
                }
            }
        }
        return lines + refused.map { note($0.0, .failure($0.1)) }
    }

    func record(
        _ number: UInt64, _ times: PushTimes? = nil, policy: PushPolicy = PushPolicy(), device: Int? = nil,
        head: RequestHead = MachineSamples.head
    ) -> PushRecord {
        let push = device.map(MachineSamples.push(to:)) ?? MachineSamples.push
        return PushRecord(
            id: PushID(number: number), push: push,
            head: RequestHead(head.template, to: push.deviceToken, apnsID: head.apnsID),
            times: times ?? timeout(.seconds(10)), policy: policy)
    }

    /// The push of this number, if it waits.
    func waiting(_ number: UInt64) -> PushRecord? {
        room.table.slots.compactMap { room.table[$0]?.record }.first { $0.id.number == number }
    }

    /// A timeout from now on.
    func timeout(_ time: Duration) -> PushTimes {
        PushTimes(timeout: time, timeoutFromCall: now.advanced(by: time), deadline: nil, expiration: nil)
    }

    /// Pushes with a policy, all to one device unless `devices` tells them apart by number.
    mutating func push(
        _ numbers: UInt64..., policy: PushPolicy, devices: Bool = false, timeout time: Duration = .seconds(60)
    ) -> [String] {
        offer(numbers.map { record($0, timeout(time), policy: policy, device: devices ? Int($0) : 0) })
    }

    mutating func answer(
        _ number: UInt64, link: UInt32 = 1, status: Int = 200, _ reason: RejectionReason? = nil,
        retryAfter: Duration? = nil
    ) -> [String] {
        feed(
            .answered(
                Self.link(link), slot: slots[number] ?? -1, Self.response(status, reason),
                retryFrom: retryAfter.map { now.advanced(by: $0) }))
    }

    static func response(_ status: Int, _ reason: RejectionReason?) -> PushResponse {
        PushResponse(status: status, body: reason.map { Array(#"{"reason":"\#($0)"}"#.utf8) } ?? [])
    }

    /// Bytes arrive with the answer to a PING.
    mutating func pong(_ ping: UInt64 = 1, link: UInt32 = 1) -> [String] {
        feed(.received(Self.link(link))) + feed(.pong(Self.link(link), ping))
    }

    mutating func goAway(link: UInt32 = 1, _ reason: String? = nil) -> [String] {
        feed(.goAway(Self.link(link), reason: reason))
    }

    mutating func comeUp(link: UInt32, limit: Int? = 1_000) -> [String] {
        feed(.settings(Self.link(link), maxStreams: limit))
    }

    mutating func close(
        _ number: UInt64, link: UInt32 = 1, _ code: HTTP2ErrorCode, _ fate: WriteFate = .written
    ) -> [String] {
        feed(.streamClosed(Self.link(link), slot: slots[number] ?? -1, .reset(code), fate))
    }

    mutating func lose(
        link: UInt32 = 1, _ fates: [(UInt64, WriteFate)] = [], in layer: ErrorLayer = .socket
    ) -> [String] {
        let streams = fates.map { LostStream(slot: slots[$0.0] ?? -1, fate: $0.1, answer: nil) }
        return feed(.linkLost(Self.link(link), LinkFailure(layer, "cut"), streams))
    }

    private mutating func note(_ action: ConnectionAction) -> String {
        switch action {
        case .dial(let link, let port, let isRefreshed):
            refreshes.append(isRefreshed)
            return "dial \(link.number)" + (port == 443 ? "" : " on \(port)")
        case .submit(let link, let stream, let slot, let record, let streamID, let isFirst):
            slots[record.id.number] = slot
            changes.opened.append((record, streamID))
            let showsOurs = !machine.settings.usesCertificate && !record.head.template.hasAuthorization
            record.tokenIssue = showsOurs ? 1 : 0
            return "submit \(record.id.number) on \(link.number)/\(stream)\(isFirst ? "" : " again")"
        case .withdraw: return "withdraw"
        case .reset(let link, let stream): return "reset \(link.number)/\(stream)"
        case .closeLink(let link): return "close \(link.number)"
        case .abandonLink(let link): return "abandon \(link.number)"
        case .breakLink(let link, _): return "break \(link.number)"
        case .ping(let link, let ping): return "ping \(link.number)/\(ping)"
        case .finish(let record, let outcome, let endsTurn):
            changes.ended += 1
            if endsTurn { changes.turnsEnded.append(record.recipient) }
            if case .success(let response) = outcome, response.isSuccess { changes.accepted += 1 }
            return note(record, outcome)
        case .post(let fact):
            if case .reconnecting(_, _, let cause) = fact { self.cause = cause }
            return Self.text(fact)
        case .renewToken, .giveBack, .noteAnswer, .noteSettings, .noteSettled, .judge, .refuseCredential, .probeEnded:
            return "\(action)"
        case .acceptOffer: return "accept offer"
        case .declineOffer(_, .failed(let cause)): return "decline offer, \(cause.layer)"
        case .declineOffer(_, let end): return "decline offer\(end == .closed ? "" : ", \(end)")"
        case .stop(nil): return "stop"
        case .stop(let refusal?): return "stop, \(refusal.reason?.rawValue ?? "refused")"
        }
    }

    private mutating func note(_ record: PushRecord, _ outcome: Result<PushResponse, PushError>) -> String {
        let text = Self.text(outcome)
        outcomes[record.id.number, default: []].append(text)
        return "finish \(record.id.number): \(text)"
    }

    static func text(_ outcome: Result<PushResponse, PushError>) -> String {
        switch outcome {
        case .success(let response):
            "\(response.status)\(response.retryHeldBack.map { ", not retried: \($0)" } ?? "")"
        case .failure(let error): "\(error.code) \(error.certainty.rawValue)"
        }
    }

    static func text(_ fact: ConnectionFact) -> String {
        switch fact {
        case .connectionUp(let generation): return "up \(generation)"
        case .reconnecting(let attempt, let delay, _): return "reconnecting \(pause(attempt, delay))"
        case .replacementFailed(let attempt, let delay, _): return "replacement failed \(pause(attempt, delay))"
        case .draining(let generation, _): return "draining \(generation)"
        case .retriesStopped(let opening):
            return "retries stopped: \(opening.failures) of \(opening.answers)"
        case .suspended(let refusal, let pause):
            return "suspended \(pause.components.seconds) s: \(refusal.reason?.rawValue ?? "\(refusal.layer)")"
        case .credentialRefused(let refusal): return "refused: \(refusal.reason?.rawValue ?? "\(refusal.layer)")"
        case .late(let record, _, let outcome):
            switch outcome {
            case .answered(let response): return "late \(record.id.number): \(response.status)"
            case .unprocessed: return "late \(record.id.number): unprocessed"
            case .noAnswer: return "late \(record.id.number): no answer"
            }
        }
    }

    /// Jitter takes off up to a fifth; the line shows the whole pause.
    private static func pause(_ attempt: Int, _ delay: Duration) -> String {
        let whole = min((1 << attempt) - 1, 10)
        let isWithin = delay <= .seconds(whole) && delay >= .seconds(whole) * 0.8
        return "\(attempt) in \(isWithin ? "\(whole) s" : "\(delay)")"
    }
}

extension PushRecord {
    /// The slot in which it waits; -1 if it does not.
    var roomSlot: Int32 { if case .waiting(let slot) = standing { slot } else { -1 } }
}
