import HTTP2Session
import WireTransport

/// What links tell their process.
extension ConnectionProcess: Link.Owner {
    func link(_ link: Link, reached stage: ProxyConnector.Stage) {
        context?.perform {
            now = context?.time.now ?? now
            handle(.dialReached(link.id, stage))
        }
    }

    func link(_ link: Link, received events: [ClientEvent]) {
        context?.perform {
            now = context?.time.now ?? now
            if link.takeHasReceived() { handle(.received(link.id)) }
            // The session takes no request from the moment it saw GOAWAY, which may stand behind answers in this burst:
            // what those make room for waits for the successor.
            if events.contains(where: \.isGoAway) {
                link.isLeaving = true
                handle(.limit(link.id, maxStreams: 0))
            }
            translateAll(events, link)
        }
    }

    func linkSecured(_ link: Link, isResumed: Bool, unpinned: [KeyPin]?) {
        context?.perform {
            now = context?.time.now ?? now
            note(.secured(isResumed: isResumed), link.id)
            if let unpinned { note(.unpinned(unpinned), link.id) }
        }
    }

    func linkHasRoom(_ link: Link) { context?.perform {} }

    func link(_ link: Link, failed cause: LinkFailure) {
        context?.perform {
            now = context?.time.now ?? now
            linkFailed(link, cause)
        }
    }

    func breakLink(_ id: LinkID, _ cause: LinkFailure) {
        guard let link = link(id) else { return handle(.linkLost(id, cause, [])) }
        linkFailed(link, cause)
    }

    func linkFailed(_ link: Link, _ cause: LinkFailure) {
        guard translating != link.id else {
            // The rest of the burst may hold answers to pushes that would otherwise count as lost.
            lateFailure = lateFailure ?? cause
            link.isLeaving = true
            return handle(.limit(link.id, maxStreams: 0))
        }
        guard removeLink(link.id) != nil else { return }
        note(.lost(cause), link.id)
        let streams = lostStreams(link)
        if let context, streams.contains(where: { $0.fate == .written && $0.answer == nil }) {
            entry.watch.pushesBecameUnknown(context.pid)
        }
        link.abandon()
        handle(.linkLost(link.id, cause, streams, lastSubmitted: link.lastSubmitted))
    }

    func lostStreams(_ link: Link) -> [LostStream] {
        link.lostStreams().map { stream in
            let answer = stream.answer.map { PushResponse($0) }
            if let answer { noteAnswer(answer, on: link) }
            return LostStream(
                slot: stream.slot, fate: stream.fate, answer: answer, retryFrom: answer.flatMap(retryStart))
        }
    }

    /// Before which instant the server does not want to see the push again. Its date is read by the wall clock.
    private func retryStart(_ answer: PushResponse) -> MonotonicInstant? {
        guard StatusRetryPolicy.Statuses.all.contains(status: answer.status) else { return nil }
        return answer.retryAfter(environment.wallClock).map { now.advanced(by: $0) }
    }

    private func translateAll(_ events: [ClientEvent], _ link: Link) {
        // Performing an event can close another link, whose last events come here in the middle of this burst.
        let outer = (translating, lateFailure)
        (translating, lateFailure) = (link.id, nil)
        // A PING's answer can show that pushes are not answered: those that are in this burst come first.
        var pongs: [UInt64] = []
        var index = 0
        var accepted = 0
        while index < events.count {
            // 200s that follow one another are all heard before what they bring about is done.
            let start = index
            index = Self.hear(events, from: start, link.id, now, &machine, &desk.tally, &actions)
            accepted += index - start
            performAll()
            guard index < events.count else { break }
            switch events[index] {
            case .pong(let ping): pongs.append(ping)
            case .response(let response):
                let answer = PushResponse(response)
                noteAnswer(answer, on: link, after: accepted)
                accepted = 0
                desk.tally.answered(response.status, on: link.id)
                handle(.answered(link.id, slot: Int32(response.tag), answer, retryFrom: retryStart(answer)))
            default: translate(events[index], link)
            }
            index += 1
        }
        if accepted > 0, entry.hasFeedback { entry.noteAnswers(to: link.credential, others: accepted) }
        for ping in pongs { translate(.pong(ping), link) }
        let cause = lateFailure
        (translating, lateFailure) = outer
        if let cause { linkFailed(link, cause) }
    }

    /// Tells the machine the 200s that stand from `start` on, up to the next event of another kind. What a rejection brings
    /// about – another link, another token – is done before the next answer makes room for a push.
    ///
    /// Not a method, so that the process's own variables are accessed once for all of them.
    ///
    /// - Returns: the index behind them.
    private static func hear(
        _ events: [ClientEvent], from start: Int, _ link: LinkID, _ now: MonotonicInstant,
        _ machine: inout ConnectionMachine, _ tally: inout BurstTally, _ actions: inout [ConnectionAction]
    ) -> Int {
        var index = start
        while index < events.count, case .response(let response) = events[index], response.status == 200 {
            tally.answered(response.status, on: link)
            let answer = PushResponse(response)
            machine.handle(.answered(link, slot: Int32(response.tag), answer), now, into: &actions)
            index += 1
        }
        return index
    }

    private func translate(_ event: ClientEvent, _ link: Link) {
        switch event {
        case .settings(let settings):
            note(.settings(settings), link.id)
            let limit = link.isLeaving ? 0 : settings.maxConcurrentStreams
            if link.isLeaving, !link.isUp { return }  // it says goodbye before it was up
            if link.isUp {
                handle(.limit(link.id, maxStreams: limit))
            } else {
                link.isUp = true
                handle(.linkUp(link.id, maxStreams: limit))
            }
        case .response: break  // Told with those beside it.
        case .closed(let stream, let tag, let code, let isWhole, let isMalformed):
            if !isMalformed { desk.tally.reset(Resets(code, stream: stream, isOurs: false), on: link.id) }
            let end: StreamEnd = isMalformed ? .malformedAnswer : .reset(code)
            handle(.streamClosed(link.id, slot: Int32(tag), end, isWhole ? .written : .unprocessed))
        case .goAway(let lastStream, let code, let data):
            let reason = GoAwayReason.text(code, data)
            note(.goAway(lastStream: lastStream, code, reason: reason), link.id)
            handle(.goAway(link.id, reason: reason))
        case .pong(let ping):
            note(.pong, link.id)
            handle(.pong(link.id, ping))
        }
    }
}

extension ClientEvent {
    fileprivate var isGoAway: Bool {
        if case .goAway = self { true } else { false }
    }
}
