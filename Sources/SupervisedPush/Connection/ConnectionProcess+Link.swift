import ProcessRuntime
import PushHTTP2
import PushTransport

/// Events of the links.
extension ConnectionProcess: Link.Owner {
    func link(_ link: Link, reached step: DialStep) {
        context?.perform {
            now = context?.time.now ?? now
            handle(.dialReached(link.id, step))
        }
    }

    func link(_ link: Link, received events: inout [ClientEvent], hasBytes: Bool) {
        context?.perform {
            now = context?.time.now ?? now
            answering.turn(to: link)
            // Moved out, because the machine's decisions can cause events of another link.
            var news = news
            self.news = []
            translate(&events, of: link, into: &news)
            machine.handle(.burst(link.id, news, hasBytes: hasBytes), now, into: &actions)
            news.removeAll(keepingCapacity: news.capacity <= 4_096)
            self.news = news
            performAll()
        }
    }

    func linkSecured(_ link: Link, isResumed: Bool, unpinned: [KeyPin]?) {
        context?.perform {
            now = context?.time.now ?? now
            report(.secured(isResumed: isResumed), on: link.id)
            if let unpinned { report(.unpinned(unpinned), on: link.id) }
        }
    }

    func linkHasRoom(_ link: Link) { context?.perform {} }

    func link(_ link: Link, failed cause: LinkFailure) {
        context?.perform {
            now = context?.time.now ?? now
            linkFailed(link, cause: cause)
        }
    }

    func breakLink(_ id: LinkID, cause: LinkFailure) {
        guard let link = link(id) else { return handle(.linkLost(id, cause, [])) }
        linkFailed(link, cause: cause)
    }

    func linkFailed(_ link: Link, cause: LinkFailure) {
        guard removeLink(link.id) != nil else { return }
        report(.lost(cause), on: link.id)
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

    /// When the server wants to see the push again at the earliest. Its date is read by the wall clock.
    private func retryStart(_ answer: PushResponse) -> MonotonicInstant? {
        guard StatusRetryPolicy.Statuses.all.contains(status: answer.status) else { return nil }
        return answer.retryAfter(environment.wallClock).map { now.advanced(by: $0) }
    }

    /// Translates a burst for the machine, and records it for observers.
    private func translate(_ events: inout [ClientEvent], of link: Link, into news: inout [LinkNews]) {
        let (first, now) = (news.count, now)
        defer {
            if news.count > first, case .answered(let slot, _, _) = news[first], let entry = machine.table[slot] {
                burst.tally.sampleAnswer(to: entry.record, writtenAt: entry.writtenAt, now)
            }
        }
        var index = 0
        var accepted = 0
        while index < events.count {
            let start = index
            index = Self.translateAccepted(&events, from: start, on: link.id, tally: &burst.tally, into: &news)
            accepted += index - start
            guard index < events.count else { break }
            news.append(translate(events[index], of: link, after: &accepted))
            index += 1
        }
        if accepted > 0 { noteAccepted(accepted, on: link) }
    }

    /// Translates consecutive 200s from `start` on.
    ///
    /// Static, so that the process's own properties are accessed once for all of them.
    ///
    /// - Returns: The index of the first event after them.
    private static func translateAccepted(
        _ events: inout [ClientEvent], from start: Int, on link: LinkID, tally: inout BurstTally,
        into news: inout [LinkNews]
    ) -> Int {
        var index = start
        while index < events.count, events[index].status == 200 {
            // Exchanged for an event without a payload: a copy costs a retain for each reference in it.
            var event = ClientEvent.pong(0)
            swap(&event, &events[index])
            guard case .response(let response) = consume event else { break }
            tally.answered(response.status, on: link)
            news.append(.answered(slot: Int32(response.tag), PushResponse(response)))
            index += 1
        }
        return index
    }

    /// - Parameter accepted: How many accepted pushes precede it that have not been counted yet.
    private func translate(_ event: ClientEvent, of link: Link, after accepted: inout Int) -> LinkNews {
        switch event {
        case .settings(let settings):
            report(.settings(settings), on: link.id)
            return .settings(maxStreams: settings.maxConcurrentStreams)
        case .response(let response):
            let answer = PushResponse(response)
            noteAnswer(answer, on: link, after: accepted)
            accepted = 0
            burst.tally.answered(response.status, on: link.id)
            return .answered(slot: Int32(response.tag), answer, retryFrom: retryStart(answer))
        case .closed(let stream, let tag, let code, let isWhole, let isMalformed):
            if !isMalformed { burst.tally.reset(Resets(code, stream: stream, isOurs: false), on: link.id) }
            let end: StreamEnd = isMalformed ? .malformedAnswer : .reset(code)
            return .streamClosed(slot: Int32(tag), end, isWhole ? .written : .unprocessed)
        case .goAway(let lastStream, let code, let data):
            let reason = GoAwayReason.text(code, data: data)
            report(.goAway(lastStream: lastStream, code, reason: reason), on: link.id)
            return .goAway(reason: reason, lastStream: lastStream)
        case .pong(let ping):
            report(.pong, on: link.id)
            return .pong(ping)
        }
    }
}
