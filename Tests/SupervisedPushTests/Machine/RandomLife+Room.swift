import HTTP2Session
import Testing
import WireTransport

@testable import SupervisedPush

/// What machine and room say to one another in a random life, and what is done with it: as a process does.
extension RandomLife {
    /// The machine hears of an event, and of what the room says then; all of that in drains.
    mutating func apply(_ event: ConnectionEvent) {
        drain(event)
        readMail()
    }

    mutating func readMail() {
        var letters = 0
        while !mail.isEmpty, letters < 50 {
            letters += 1
            drain(mail.removeFirst())
        }
        if letters == 50 { Issue.record("room and machine go on talking") }
        check()
    }

    /// Changes the room, and does what follows from it.
    mutating func change(_ body: (inout WaitingRoom, MonotonicInstant, inout RoomEffects) -> Void) {
        var effects = RoomEffects()
        body(&room, now, &effects)
        room.settle(now, &effects)
        for ending in effects.endings { finish(ending.trace.record, ending.outcome) }
        if effects.look == holder { mail.append(.look) }
        if effects.probes == holder { mail.append(.credential(.probe)) }
        if effects.probeOver == holder { mail.append(.credential(.probeOver)) }
    }

    /// One drain: the event, and then exchanges until there is nothing new.
    private mutating func drain(_ event: ConnectionEvent) {
        perform(event)
        var rounds = 0
        while !hasStopped, rounds < 20 {
            rounds += 1
            var supply = RoomSupply()
            let (id, readiness) = (holder, machine.readiness(now))
            var handedOver = RoomChanges()
            swap(&handedOver, &changes)
            change { room, now, effects in supply = room.exchange(id, &handedOver, readiness, now, &effects) }
            if !supply.isNone { perform(.taken(supply)) }
            if stop == nil, changes.isEmpty { break }
            if let stop {
                hasStopped = true
                leave()
                change { room, _, effects in room.endAll(stop, &effects) }
            }
        }
        if rounds == 20 { Issue.record("a drain does not end") }
    }

    /// The process is gone.
    mutating func leave() {
        let id = holder
        var last = RoomChanges()
        swap(&last, &changes)
        change { room, now, effects in room.leave(id, &last, now, &effects) }
    }

    private mutating func perform(_ event: ConnectionEvent) {
        var actions: [ConnectionAction] = []
        machine.handle(event, now, into: &actions)
        var index = 0
        while index < actions.count {
            note(actions[index], &actions)
            index += 1
        }
    }

    /// Machine, room and model agree on what is where. Checked by hand: an expectation for each of a million would take longer than all
    /// the rest.
    private func check() {
        let links = [machine.current].compactMap(\.self) + machine.draining
        for link in links where link.open != open[link.id.number]?.count ?? 0 {
            Issue.record("link \(link.id.number) has other streams open than the machine thinks")
        }
        if room.held != machine.inFlight { Issue.record("the room says \(room.held), the machine \(machine.inFlight)") }
        if room.table.count + room.held + finished.count != Int(pushed) { Issue.record("a push is nowhere, or twice") }
        if room.waiting > room.settings.maxWaiting { Issue.record("more wait than may") }
    }

    private mutating func finish(_ record: PushRecord, _ outcome: Result<PushResponse, PushError>) {
        finished[record.id.number, default: 0] += 1
        guard case .failure(let error) = outcome, known[record.id.number]?.wasUnknown == true else { return }
        if error.certainty != .unknown {
            Issue.record("\(record.id.number) may have been processed, and its error denies it")
        }
    }

    mutating func note(_ action: ConnectionAction, _ actions: inout [ConnectionAction]) {
        switch action {
        case .dial(let link, _): dialed = link.number
        case .submit(let link, let stream, let slot, let record, let streamID, _):
            noteSubmit(record)
            changes.opened.append((record, streamID))
            open[link.number, default: [:]][stream] = UInt64(slot)
            if open[link.number]?.count ?? 0 > limits[link.number] ?? 0 { Issue.record("a limit was passed") }
        case .withdraw(let link, let stream, let slot): noteWithdrawal(link, stream, slot, &actions)
        case .reset(let link, let stream): open[link.number]?[stream] = nil
        case .closeLink(let link), .abandonLink(let link):
            open[link.number] = nil
            pings[link.number] = nil
            if dialed == link.number { dialed = nil }
        case .renewToken(_, let link, let slot, let response):
            let isNewer = Int.random(in: 0..<4, using: &random) > 0
            machine.handle(.tokenChecked(link, slot: slot, isNewer: isNewer, response), now, into: &actions)
        case .ping(let link, let ping):
            if pings[link.number] != nil { Issue.record("a second PING while one is out") }
            pings[link.number] = ping
        case .breakLink(let link, let cause):
            if pings[link.number] == nil { Issue.record("a link was given up without a PING") }
            pings[link.number] = nil
            machine.handle(.linkLost(link, cause, lostStreams(link.number)), now, into: &actions)
        case .finish(let record, let outcome, let endsTurn):
            changes.ended += 1
            if endsTurn { changes.turnsEnded.append(record.recipient) }
            if case .success(let response) = outcome, response.isSuccess { changes.accepted += 1 }
            finish(record, outcome)
        case .giveBack(let push): changes.returned.append(push)
        case .noteAnswer(let answer): changes.answers.append(answer)
        case .noteSettings: changes.hasSettings = true
        case .noteSettled: changes.settledStreams += 1
        case .judge, .refuseCredential, .probeEnded: noteJudgement(action, &actions)
        case .takeOffer(let number):
            endedOffers.append(number)
            change { room, _, effects in room.renewCredential(&effects) }
        case .declineOffer(let number, _): endedOffers.append(number)
        case .stop(let refusal): stop = refusal.map { .refused($0) } ?? .closed
        case .post: break
        }
    }

    private mutating func noteWithdrawal(
        _ link: LinkID, _ stream: Int32, _ slot: Int32, _ actions: inout [ConnectionAction]
    ) {
        var fate: WriteFate = [.notSent, .unprocessed, .written, .written].randomElement(using: &random) ?? .written
        if fate == .unprocessed, !wouldReset(slot, stream, on: link) { fate = .written }
        if fate != .written { open[link.number]?[stream] = nil }
        // On a link that stalled, what is written stays in flight.
        let staysInFlight = fate == .written && machine.table[slot]?.withdrawal == .stalled
        if !staysInFlight { noteEnd(slot, fate == .written ? .unknown : .unprocessed) }
        machine.handle(.withdrawn(slot: slot, fate), now, into: &actions)
    }

    /// What machine and room say of the credential.
    private mutating func noteJudgement(_ action: ConnectionAction, _ actions: inout [ConnectionAction]) {
        var news: CredentialNews?
        let id = holder
        switch action {
        case .judge(let response, let isProbe, let isReplaced):
            changes.accepted = 0
            change { room, now, effects in
                news = room.judge(response, isProbe: isProbe, isReplaced: isReplaced, now, &effects)
            }
        case .refuseCredential(let refusal):
            let isProbe = machine.credential.refusal != nil
            change { room, now, effects in news = room.refuse(refusal, isProbe: isProbe, now, &effects) }
        default: return change { room, now, effects in room.probeEnded(by: id, now, &effects) }
        }
        machine.handle(.judged(news, isSound: room.health.isSound), now, into: &actions)
    }
}
