import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

/// What machine and room say to one another in a random life, and what is done with it: as a process does.
extension RandomLife {
    /// The machine hears of an event, and all of them of what the room says then; all of that in drains.
    mutating func apply(_ event: ConnectionMachine.Event) {
        drain(event)
        readMail()
    }

    mutating func readMail() {
        let own = turn
        var letters = 0
        while let index = connections.firstIndex(where: { !$0.mail.isEmpty }), letters < 200 {
            letters += 1
            turn = index
            drain(upToDate(current.mail.removeFirst()))
        }
        turn = own
        if letters == 200 { Issue.record("room and machines go on talking") }
        check()
    }

    /// News that were sent may be older than what holds now.
    private func upToDate(_ event: ConnectionMachine.Event) -> ConnectionMachine.Event {
        guard case .credential(let news) = event else { return event }
        switch news {
        case .probe, .probeOver: return event
        case .refused, .replaced, .works:
            guard let refusal = room.health.refusal else { return .credential(.works) }
            return .credential(.refused(refusal, nextProbe: room.health.isRejectedForGood ? nil : room.health.pause))
        }
    }

    /// Changes the room, and does what follows from it.
    ///
    /// - Parameter isOwn: whether the connection whose turn it is knows by itself what the others are told.
    mutating func change(isOwn: Bool = false, _ body: (inout WaitingRoom) -> Void) {
        room.begin(now)
        body(&room)
        let effects = room.finish()
        for ending in effects.endings { finish(ending.trace.record, ending.outcome(nil)) }
        send(.pushesWait, to: effects.woken)
        for holder in effects.furtherWoken { send(.pushesWait, to: holder) }
        if let prober = effects.probes { send(.credential(.probe), to: prober) }
        if let prober = effects.probeOver { send(.credential(.probeOver), to: prober) }
        guard let news = effects.news else { return }
        for index in connections.indices where !isOwn || index != turn {
            send(.credential(news), to: connections[index].holder)
        }
    }

    private mutating func send(_ event: ConnectionMachine.Event, to holder: WaitingRoom.HolderID) {
        let index = connections.firstIndex { $0.holder == holder && !$0.isDown && !$0.hasStopped }
        if let index { connections[index].mail.append(event) }
    }

    /// One drain: the event, and then exchanges until there is nothing new.
    private mutating func drain(_ event: ConnectionMachine.Event) {
        guard !current.isDown else { return }
        perform(event)
        var rounds = 0
        var flushes = 0
        while !current.hasStopped, rounds < 20 {
            rounds += 1
            noteWindow()
            var supply = RoomSupply()
            let (id, readiness) = (current.holder, machine.readiness(now))
            var handedOver = RoomChanges()
            swap(&handedOver, &current.changes)
            change { room in
                supply = room.exchange(id, changes: &handedOver, readiness: readiness)
            }
            if !supply.isNone || machine.followsWindow { perform(.taken(supply)) }
            if current.stop == nil, current.changes.isEmpty {
                guard flush() else { break }
                flushes += 1
                if flushes == 4 {
                    current.mail.append(.pushesWait)
                    break
                }
            }
            if let stop = current.stop {
                current.hasStopped = true
                leave()
                // The last one ends the name, unless a process is still to come.
                guard connections.allSatisfy(\.hasStopped) else { break }
                change { room in room.endAll(stop) }
            }
        }
        if rounds == 20 { Issue.record("a drain does not end") }
    }

    /// The process is gone.
    mutating func leave() {
        let id = current.holder
        var last = RoomChanges()
        swap(&last, &current.changes)
        change { room in room.leave(id, changes: &last) }
    }

    mutating func perform(_ event: ConnectionMachine.Event) {
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
        for connection in connections {
            let machine = connection.machine
            let links = [machine.current].compactMap(\.self) + machine.draining.map(\.link)
            for link in links where link.open != connection.open[link.id.number]?.count ?? 0 {
                Issue.record("link \(link.id.number) has other streams open than the machine thinks")
            }
        }
        let inFlight = connections.reduce(0) { $0 + $1.machine.inFlight }
        if room.held != inFlight { Issue.record("the room says \(room.held), the machines \(inFlight)") }
        if room.table.count + room.held + finished.count != Int(pushed) { Issue.record("a push is nowhere, or twice") }
        // Callers of pushes that wait are answered at once when the credential is refused, all but the one that tries it again.
        if room.health.refusal != nil, !room.health.isProbing, room.table.count > 0 {
            Issue.record("\(room.table.count) wait although the credential is refused")
        }
        checkThatNoneIsForgotten()
        if room.waiting > room.settings.maxWaiting * mostConnections { Issue.record("more wait than may") }
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
        case .dial(let link, _, _): current.dialed = link.number
        case .submit(let link, let stream, let slot, let record, let streamID, _):
            noteSubmit(record)
            noteBegin(link.number, stream, record)
            current.changes.opened.append((record, streamID))
            current.open[link.number, default: [:]][stream] = UInt64(slot)
            if current.open[link.number]?.count ?? 0 > current.limits[link.number] ?? 0 {
                Issue.record("a limit was passed")
            }
        case .withdraw(let link, let stream, let slot): noteWithdrawal(link, stream, slot, &actions)
        case .reset(let link, let stream): close(stream, on: link.number)
        case .closeLink(let link), .abandonLink(let link):
            current.open[link.number] = nil
            current.windows[link.number] = nil
            current.pings[link.number] = nil
            if current.dialed == link.number { current.dialed = nil }
        case .renewToken(_, let link, let slot, let response):
            let isNewer = Int.random(in: 0..<4, using: &random) > 0
            machine.handle(.tokenChecked(link, slot: slot, isNewer: isNewer, response), now, into: &actions)
        case .ping(let link, let ping):
            if current.pings[link.number] != nil { Issue.record("a second PING while one is out") }
            current.pings[link.number] = ping
        case .breakLink(let link, let cause):
            if current.pings[link.number] == nil { Issue.record("a link was given up without a PING") }
            current.pings[link.number] = nil
            machine.handle(.linkLost(link, cause, lostStreams(link.number)), now, into: &actions)
        case .finish(let record, let outcome, let endsTurn):
            current.changes.ended += 1
            if endsTurn { current.changes.turnsEnded.append(record.recipient) }
            if case .success(let response) = outcome, response.isSuccess { current.changes.accepted += 1 }
            finish(record, outcome)
        case .giveBack(let push): current.changes.returned.append(push)
        case .noteAnswer(let answer): current.changes.answers.append(answer)
        case .noteSettings: current.changes.hasSettings = true
        case .noteSettled: current.changes.settledStreams += 1
        case .judge, .refuseCredential, .probeEnded: noteJudgement(action, &actions)
        case .acceptOffer(let number):
            endedOffers.append(number)
            change(isOwn: true) { room in room.renewCredential() }
        case .declineOffer(let number, _): endedOffers.append(number)
        case .stop(let refusal): current.stop = refusal.map { .refused($0) } ?? .closed
        case .post: break
        }
    }

    private mutating func noteWithdrawal(
        _ link: LinkID, _ stream: Int32, _ slot: Int32, _ actions: inout [ConnectionAction]
    ) {
        var fate = writeFate(of: stream, on: link.number, [.notSent, .unprocessed, .written, .written])
        if fate == .unprocessed, !wouldReset(slot, stream, on: link) { fate = .written }
        if fate != .written { close(stream, on: link.number) }
        // On a link that stalled, what is written stays in flight.
        let staysInFlight = fate == .written && machine.table[slot]?.withdrawal == .stalled
        if !staysInFlight { noteEnd(slot, fate == .written ? .unknown : .unprocessed) }
        machine.handle(.withdrawn(slot: slot, .written(fate)), now, into: &actions)
        if machine.table[slot]?.state == .late { current.windows[link.number]?.endFirstFlight() }
    }

    private mutating func close(_ stream: Int32, on link: UInt32) {
        // What is withdrawn is reset, too.
        guard current.open[link]?.removeValue(forKey: stream) != nil else { return }
        current.windows[link]?.end(stream)
    }

    /// What machine and room say of the credential.
    private mutating func noteJudgement(_ action: ConnectionAction, _ actions: inout [ConnectionAction]) {
        var news: CredentialNews?
        var isOwn = true
        let id = current.holder
        switch action {
        case .judge(let response, let isProbe, let isReplaced):
            let accepted = current.changes.accepted > 0
            current.changes.accepted = 0
            change(isOwn: true) { room in
                news = room.judge(response, isProbe: isProbe, isReplaced: isReplaced, after: accepted)
            }
        case .refuseCredential(let refusal, let isProbe):
            change(isOwn: true) { room in
                let answer = room.refuse(refusal, isProbe: isProbe)
                (news, isOwn) = (answer.news, !answer.wasKnown)
            }
        default: return change(isOwn: true) { room in room.probeEnded(by: id) }
        }
        machine.handle(.judged(news, isOwn: isOwn, isHealthy: room.health.isHealthy), now, into: &actions)
    }
}
