import ProcessRuntime
import PushHTTP2
import PushTransport

/// How pushes in flight end: answered, reset, lost, cancelled.
extension ConnectionMachine {
    mutating func answered(
        on link: LinkID, slot: Int32, response: consuming PushResponse, retryFrom: MonotonicInstant?
    ) {
        guard let stream = table.stream(of: slot), stream.link == link else { return }
        let isLate = stream.isLate
        // Answers on an old link say nothing about the attempts to get a new one.
        if current?.id == link {
            current?.answered(now, endsStream: !isLate)
            if current?.topics.awaitsProof == true { noteTopic(of: slot, on: link, response: response) }
            backoff.reset()
            if shortage.awaitsProof { currentIsProven() }
        } else {
            modifyLink(link) { [now] in $0.answered(now, endsStream: !isLate) }
            noteTopic(of: slot, on: link, response: response)
            if pausedAfter == link, pausedUntil != nil {
                // It was useful after all.
                backoff.reset()
                dial()
            }
        }
        // The usual answer says nothing about the credential, and needs no copy.
        let judged = response.isSuccess && credential.isHealthy ? nil : table[slot].map { ($0, copy response) }
        if isLate {
            endLate(slot, with: .answered(response), resetting: false)
            if let (entry, response) = judged { _ = refused(response, of: entry, at: slot) }
        } else {
            if let (entry, response) = judged, refused(response, of: entry, at: slot) {
                return linkMoved(link)
            }
            settleAnswer(slot, response: response, retryFrom: retryFrom)
        }
        if let (entry, response) = judged { judgeCredential(response, of: entry, at: slot) }
        noteSettled(on: link)
        linkMoved(link)
    }

    mutating func streamClosed(on link: LinkID, slot: Int32, end: StreamEnd, fate: WriteFate) {
        guard let entry = table[slot], entry.link == link else { return }
        let certainty = end == .reset(.refusedStream) ? .unprocessed : fate.certainty
        // Whatever error the peer sent: if a push is resent because its stream ended, it was refused. It must not make
        // room for itself, either.
        var isRefusal = end == .reset(.refusedStream)
        if entry.state == .late {
            endLate(slot, with: entry.lateEnd(certainty), resetting: false)
        } else {
            isRefusal = certainty != .unknown || resendsUnknown(entry)
            streamEnded(link)
            if end == .reset(.refusedStream) { forgiveAttempt(slot, on: link) }
            // The successor may take refused pushes of a link with GOAWAY at once.
            let mayPause = isRefusal && current?.id == link
            settle(slot, certainty: certainty, isRefusal: mayPause, .streamClosed(entry, end: end))
        }
        if !isRefusal { noteSettled(on: link) }
        linkMoved(link)
    }

    /// A push that was refused behind others which its link served has not failed.
    private mutating func forgiveAttempt(_ slot: Int32, on link: LinkID) {
        guard let index = draining.firstIndex(where: { $0.id == link }), draining[index].link.hasServed,
            let attempts = table[slot]?.history.attempts, attempts > 1
        else { return }
        table[slot]?.history.attempts = attempts - 1
    }

    /// Ends a push that cannot be written on any link. The link is not affected.
    mutating func unsendable(on link: LinkID, slot: Int32, because why: UnsendablePush) {
        guard let entry = table[slot], entry.link == link, entry.state == .inFlight else { return }
        streamGivenUp(entry)
        inFlight -= 1
        finish(slot, with: .unsendable(entry, because: why))
        linkMoved(link)
    }

    mutating func linkLost(_ link: LinkID, cause: LinkFailure, streams: [LostStream], lastSubmitted: Int32) {
        for stream in streams { lose(stream, on: link, cause: cause) }
        for slot in table.slots {
            guard let entry = table[slot], entry.link == link else { continue }
            let fate: WriteFate = entry.stream <= lastSubmitted ? .written : .notSent
            lose(LostStream(slot: slot, fate: fate, answer: nil), on: link, cause: cause)
        }
        let isOffer = dialed?.id == link && replacement?.offer != nil
        if cause.refusesCertificate, settings.usesCertificate, !isOffer, current?.id == link || dialed?.id == link {
            if current?.id == link { current = nil } else { dialed = nil }
            return credentialRefused(CredentialRefusal(nil, at: cause.layer, cause.description))
        }
        if current?.id == link {
            if isUseful(current) { backoff.reset() }
            current = nil
            abandonReplacement()
            pause(cause)
        } else if dialed?.id == link {
            dialFailed(cause)
        } else {
            draining.removeAll { $0.id == link }
        }
    }

    /// There is room for one of the pushes that this link refused.
    private mutating func noteSettled(on link: LinkID) {
        if hasRefused, current?.id == link { actions.append(.noteSettled) }
    }

    private mutating func lose(_ stream: LostStream, on link: LinkID, cause: LinkFailure) {
        guard let entry = table[stream.slot], entry.link == link else { return }
        let certainty = stream.fate.certainty
        switch (entry.state, stream.answer) {
        case (.late, let answer?):
            endLate(stream.slot, with: .answered(answer), resetting: false)
        case (.late, nil):
            endLate(stream.slot, with: entry.lateEnd(certainty), resetting: false)
        case (_, let answer?):
            modifyLink(link) { $0.hasAnswered = true }
            streamEnded(link)
            settleAnswer(stream.slot, response: answer, retryFrom: stream.retryFrom)
            judgeCredential(answer, of: entry, at: stream.slot)
        case (_, nil):
            streamEnded(link)
            settle(stream.slot, certainty: certainty, .connectionLost(entry, cause: cause))
        }
    }

    /// Ends a push whose stream ended without an answer. An unprocessed push waits again; one that may have been
    /// processed is reported, or also waits again if it asks for that.
    private mutating func settle(
        _ slot: Int32, certainty: Certainty, isRefusal: Bool = false, _ error: @autoclosure () -> PushError
    ) {
        if isRefusal { hasRefused = true }
        guard certainty == .unknown else {
            return giveBack(slot, certainty: certainty, cause: .unanswered(isRefusal: isRefusal))
        }
        if let entry = table[slot], resendsUnknown(entry) {
            table[slot]?.history.unknownAttempt = UnknownAttempt(error().code)
            return giveBack(slot, certainty: .unknown, cause: .unanswered(isRefusal: isRefusal))
        }
        inFlight -= 1
        table[slot]?.history.worst = .unknown
        finish(slot, with: error())
    }

    mutating func cancel(_ record: PushRecord) {
        let slot = record.slot
        guard let entry = table[slot], entry.record === record, entry.withdrawal == nil else { return }
        if entry.state == .inFlight { withdraw(slot, because: .cancelled) }
    }

    /// Asks the wire how far the push has been written; `withdrawn` brings the answer.
    mutating func withdraw(_ slot: Int32, because why: PushEntry.Withdrawal) {
        guard let entry = table[slot] else { return }
        table[slot]?.withdrawal = why
        actions.append(.withdraw(entry.link, stream: entry.stream, slot: slot))
    }

    mutating func withdrawn(_ slot: Int32, state: WireState) {
        guard let entry = table[slot], let why = entry.withdrawal, entry.state == .inFlight else { return }
        switch state {
        case .answered(let response):
            // A valid status is an answer, even if the rest of it never arrives.
            actions.append(.reset(entry.link, stream: entry.stream))
            answered(on: entry.link, slot: slot, response: response, retryFrom: nil)
        case .written(let fate):
            // If no frame opened the stream, no budget is needed: the peer sees nothing of it.
            if fate == .notSent { actions.append(.reset(entry.link, stream: entry.stream)) }
            withdrawn(slot, entry: entry, because: why, fate: fate)
        }
    }

    private mutating func withdrawn(_ slot: Int32, entry: PushEntry, because why: PushEntry.Withdrawal, fate: WriteFate)
    {
        var certainty = fate.certainty
        // Its first frames went out. A link that is closed holds the rest back. On a live link a reset does; without
        // budget for a reset, the rest goes out, too.
        if certainty == .unprocessed, why != .closing, holds(entry.link) {
            if takeReset(entry.link) {
                actions.append(.reset(entry.link, stream: entry.stream))
            } else {
                certainty = .unknown
            }
        }
        if certainty != .unknown { streamEnded(entry.link) }
        switch why {
        case .drained:
            if certainty == .unknown { streamEnded(entry.link) }
            settle(slot, certainty: certainty, .drainedTooLong(entry))
        case .stalled:
            if certainty == .unknown {
                table[slot]?.withdrawal = nil
            } else {
                settle(slot, certainty: certainty, .drainedTooLong(entry))
            }
        case .timedOut, .cancelled, .closing:
            endInFlight(slot, because: why, certainty: certainty)
        }
        linkMoved(entry.link)
    }

    /// Ends a push in flight for its caller. If it may have been processed and its link continues, its stream stays open
    /// for a late answer.
    private mutating func endInFlight(_ slot: Int32, because why: PushEntry.Withdrawal, certainty: Certainty) {
        guard var entry = table[slot] else { return }
        inFlight -= 1
        entry.history.worst = max(entry.history.worst, certainty)
        entry.withdrawal = nil
        table[slot] = entry
        var error = PushError.ended(entry, because: why, certainty: certainty)
        if certainty == .unknown { error.unknownAttempt = nil }
        guard certainty == .unknown, why != .closing, holds(entry.link) else { return finish(slot, with: error) }
        if why == .cancelled, takeReset(entry.link) {
            actions.append(.reset(entry.link, stream: entry.stream))
            streamGivenUp(entry)
            return finish(slot, with: error)
        }
        // A caller who cancelled waits for nothing.
        entry.record.isLate = why == .timedOut
        actions.append(.finish(entry.record, .failure(error), endsTurn: entry.hasTurn))
        table[slot]?.state = .late
        let end = now.advanced(by: settings.lateWindow)
        table[slot]?.limit = PushTimes.Limit(instant: end, kind: .timeout)
        table.appendLate(slot)
        deadlines.insert(slot, of: table.entries)
        if current?.id == entry.link { current?.offer = nil }
    }

    /// Ends a late window and frees its slot.
    mutating func endLate(_ slot: Int32, with outcome: LateResponse.Outcome, resetting: Bool) {
        guard let entry = table[slot] else { return }
        table.removeLate(slot)
        if resetting {
            actions.append(.reset(entry.link, stream: entry.stream))
            streamGivenUp(entry)
        } else {
            streamEnded(entry.link)
        }
        actions.append(.post(.late(entry.record, entry.streamID, outcome)))
        _ = table.take(slot)
    }

    /// Delivers the answer and frees the slot: the usual end.
    mutating func finish(_ slot: Int32, with response: consuming PushResponse) {
        guard let entry = table.take(slot) else { return }
        actions.append(
            .finish(entry.record, .success(response), endsTurn: entry.hasTurn))
    }

    /// Delivers the error, or the answer that counts in its place, and frees the slot, which is in no list any more.
    mutating func finish(_ slot: Int32, with error: PushError) {
        guard let entry = table.take(slot) else { return }
        actions.append(.finish(entry.record, entry.record.outcome(error), endsTurn: entry.hasTurn))
    }
}
