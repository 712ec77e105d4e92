import HTTP2Session
import WireTransport

/// What links tell their process.
extension ConnectionProcess: Link.Owner {
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
            // What has arrived is known before more is sent.
            takeInbox()
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
        guard let link = links[id] else { return handle(.linkLost(id, cause, [])) }
        linkFailed(link, cause)
    }

    func linkFailed(_ link: Link, _ cause: LinkFailure) {
        guard translating != link.id else {
            // The rest of the burst may hold answers to pushes that would otherwise count as lost.
            lateFailure = lateFailure ?? cause
            link.isLeaving = true
            return handle(.limit(link.id, maxStreams: 0))
        }
        guard links.removeValue(forKey: link.id) != nil else { return }
        note(.lost(cause), link.id)
        let streams = lostStreams(link)
        if let context, streams.contains(where: { $0.fate == .written && $0.answer == nil }) {
            entry.watch.pushesBecameUnknown(context.pid)
        }
        link.abandon()
        handle(.linkLost(link.id, cause, streams, lastSubmitted: link.lastSubmitted))
    }

    func lostStreams(_ link: Link) -> [LostStream] {
        link.lostStreams().map { LostStream(slot: $0.slot, fate: $0.fate, answer: $0.answer.map { PushResponse($0) }) }
    }

    private func translateAll(_ events: [ClientEvent], _ link: Link) {
        translating = link.id
        // A PING's answer can show that pushes are not answered: those that are in this burst come first.
        var pongs: [UInt64] = []
        for event in events {
            if case .pong(let ping) = event { pongs.append(ping) } else { translate(event, link) }
        }
        for ping in pongs { translate(.pong(ping), link) }
        translating = nil
        guard let cause = lateFailure else { return }
        lateFailure = nil
        linkFailed(link, cause)
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
        case .response(let response):
            tally.answered(response.status, on: link.id)
            handle(.answered(link.id, slot: Int32(response.tag), PushResponse(response)))
        case .closed(let stream, let tag, let code, let isWhole, let isMalformed):
            if !isMalformed { tally.reset(Resets(code, stream: stream, isOurs: false), on: link.id) }
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
