import PushHTTP2

extension ProviderConnectionMachine {
    /// The answer to a push, as HTTP/2 needs it.
    struct Answer: Equatable {
        let stream: Int32
        let verdict: Verdict
        /// The part about channels; nil in the answer to a device push.
        var reply: ChannelReply?
        /// `apns-id`, or `apns-request-id` if there is a reply: that of the request, or a new one.
        let messageID: Octets
        /// `apns-unique-id`, in the development environment.
        let uniqueID: Octets?
        /// The faults that change it.
        var deviations: [Fault] = []

        /// The value of `:status`.
        var statusText: String {
            guard verdict.refusal == nil, let reply else { return verdict.statusText }
            return String(reply.status)
        }

        /// If empty, the answer ends with its headers.
        var body: [UInt8] {
            verdict.refusal?.body(timestamp: verdict.timestamp) ?? reply?.body ?? []
        }
    }
}

/// Writes answers into a session: as APNs would send them, or as faults change them.
struct AnswerWriter {
    private var fields = FieldList()
    /// The stream of the next PUSH_PROMISE (even for a server: RFC 9113, section 5.1.1).
    private var nextPromised: Int32 = 2

    /// Queues an answer.
    ///
    /// - Returns: Whether it is complete.
    mutating func write(_ answer: ProviderConnectionMachine.Answer, to session: ServerSession) -> Bool {
        guard answer.deviations.isEmpty else { return forge(answer, session) }
        fill(answer, status: answer.statusText)
        return session.respond(answer.stream, fields: fields, body: answer.body)
    }

    /// Queues 431 Request Header Fields Too Large (RFC 6585, section 5), which RFC 9113, section 10.5.1 suggests.
    mutating func refuseHeaders(of stream: StreamID, in session: ServerSession) {
        fields.removeAll()
        fields.append(":status", "431")
        session.respond(stream, fields: fields)
    }

    private mutating func fill(_ answer: ProviderConnectionMachine.Answer, status: String?) {
        fields.removeAll()
        if let status { fields.append(":status", status) }
        let idName: StaticString = answer.reply == nil ? "apns-id" : "apns-request-id"
        answer.messageID.withUnsafeBytes { fields.append(idName, bytes: $0, indexing: .never) }
        if answer.verdict.refusal == nil, let channelID = answer.reply?.channelID {
            fields.append("apns-channel-id", channelID, indexing: .never)
        }
        if let uniqueID = answer.uniqueID {
            uniqueID.withUnsafeBytes { fields.append("apns-unique-id", bytes: $0, indexing: .never) }
        }
        if answer.verdict.refusal != nil || answer.reply?.body.isEmpty == false {
            fields.append("content-type", "application/json")
        }
    }

    // MARK: What APNs would not send

    private mutating func forge(_ answer: ProviderConnectionMachine.Answer, _ session: ServerSession) -> Bool {
        var status: String? = answer.statusText
        var body = answer.body
        for case .malformedAnswer(let malformation) in answer.deviations {
            switch malformation {
            case .noStatus: status = nil
            case .status(let text): status = text
            case .body(let text): body = Array(text.utf8)
            case .upperCaseName, .contentLength, .headerBlock, .dataBeforeHeaders: break
            }
        }
        fill(answer, status: status)
        for deviation in answer.deviations {
            switch deviation {
            case .malformedAnswer(.contentLength):
                fields.append(name: "content-length", value: "\(body.count + 1000)", indexing: .never)
            case .retryAfter(let text): fields.append(name: "retry-after", value: text, indexing: .never)
            case .oversizedHeaders(let bytes): appendFiller(bytes)
            case .oversizedBody(let bytes): body = Self.filledBody(answer.verdict.refusal, bytes)
            default: break
            }
        }
        guard prepare(answer, session) else { return false }
        if answer.deviations.contains(.malformedAnswer(.upperCaseName)) {
            // The session would write it in lower case.
            let forged = [(":status", status ?? "200"), ("X-Forged", "1")]
            inject(RawFrame.headers(answer.stream, forged, endsStream: true), session)
            return true
        }
        guard complete(answer, body: body, session: session) else { return false }
        for case .afterAnswer(let late) in answer.deviations { inject(Self.frame(late, answer.stream), session) }
        return true
    }

    /// Queues what precedes or replaces the answer. Returns false if nothing may follow.
    private mutating func prepare(_ answer: ProviderConnectionMachine.Answer, _ session: ServerSession) -> Bool {
        for deviation in answer.deviations {
            switch deviation {
            case .pushPromise:
                inject(RawFrame.promise(on: answer.stream, nextPromised), session)
                nextPromised += 2
            case .malformedAnswer(.dataBeforeHeaders):
                inject(RawFrame.frame(RawFrame.data, stream: answer.stream, [0x7B]), session)
            case .malformedAnswer(.headerBlock):
                // An indexed field far beyond both tables.
                inject(
                    RawFrame.frame(
                        RawFrame.headers, flags: RawFrame.endHeaders | RawFrame.endStream, stream: answer.stream,
                        [0xFF, 0x80, 0x80, 0x01]), session)
                return false
            case .flood(let flood) where flood.kind == .informational:
                var interim = FieldList()
                interim.append(":status", "103")
                for _ in 0..<flood.boundedCount { session.inform(answer.stream, fields: interim) }
            case .flood(let flood) where flood.kind == .continuation:
                let empty = RawFrame.frame(RawFrame.continuation, stream: answer.stream)
                inject(
                    RawFrame.frame(
                        RawFrame.headers, flags: RawFrame.endStream, stream: answer.stream,
                        RawFrame.block([(":status", answer.statusText)]))
                        + repeatElement(empty, count: flood.boundedCount).joined()
                        + RawFrame.frame(
                            RawFrame.continuation, flags: RawFrame.endHeaders, stream: answer.stream), session)
                return false
            default: continue
            }
        }
        return true
    }

    /// Queues the answer itself. Returns false if it is only half of one.
    private func complete(_ answer: ProviderConnectionMachine.Answer, body: [UInt8], session: ServerSession) -> Bool {
        for deviation in answer.deviations {
            switch deviation {
            case .halfAnswer(let half):
                begin(half.extent, of: answer, body: body, session: session)
                return false
            case .flood(let flood) where flood.kind == .emptyData:
                guard session.begin(answer.stream, fields: fields) else { return false }
                let empty = RawFrame.frame(RawFrame.data, stream: answer.stream)
                inject(Array(repeatElement(empty, count: flood.boundedCount).joined()), session)
                return session.finish(answer.stream, body: body)
            default: continue
            }
        }
        return session.respond(answer.stream, fields: fields, body: body)
    }

    private func begin(
        _ extent: HalfAnswer.Extent, of answer: ProviderConnectionMachine.Answer, body: [UInt8],
        session: ServerSession
    ) {
        switch extent {
        case .headers:
            session.begin(answer.stream, fields: fields)
        case .body:
            session.begin(answer.stream, fields: fields)
            let half = body.isEmpty ? [0x7B] : Array(body.prefix(max(1, body.count / 2)))
            inject(RawFrame.frame(RawFrame.data, stream: answer.stream, half), session)
        case .frame:
            let whole = RawFrame.headers(
                answer.stream, [(":status", answer.statusText)], endsStream: true)
            inject(Array(whole.prefix(12)), session)
        }
    }

    private mutating func appendFiller(_ bytes: Int) {
        var rest = max(0, min(bytes, 16 << 20))
        var number = 0
        while rest > 0 {
            let name = "x-filler-\(number)"
            let count = min(4096, max(1, rest - name.utf8.count - 32))
            fields.append(name: name, value: String(repeating: "f", count: count), indexing: .never)
            rest -= name.utf8.count + 32 + count
            number += 1
        }
    }

    private static func filledBody(_ refusal: Refusal?, _ bytes: Int) -> [UInt8] {
        let count = max(0, min(bytes, 64 << 20))
        let frame = refusal.map { #"{"reason":"\#($0.rawValue)","filler":""# } ?? #"{"filler":""#
        let filler = [UInt8](repeating: 0x66, count: max(0, count - frame.utf8.count - 2))
        return Array(frame.utf8) + filler + Array(#""}"#.utf8)
    }

    private static func frame(_ late: LateFrame, _ stream: Int32) -> [UInt8] {
        switch late {
        case .answer: RawFrame.headers(stream, [(":status", "200")], endsStream: true)
        case .data: RawFrame.frame(RawFrame.data, stream: stream, Array(#"{"reason":"Late"}"#.utf8))
        case .windowUpdate: RawFrame.frame(RawFrame.windowUpdate, stream: stream, RawFrame.number(1, 4))
        case .reset(let code): RawFrame.frame(RawFrame.resetStream, stream: stream, RawFrame.number(UInt64(code), 4))
        }
    }

    private func inject(_ bytes: [UInt8], _ session: ServerSession) {
        // A session that accepts no more bytes is about to end.
        try? session.inject(bytes)
    }
}
