import PushProtocol
import Testing

@Suite struct RejectionReasonTests {
    /// The protocol reference, sections 6 and 9, written a second time.
    static let reference: [(reason: String, status: Int, advice: RejectionAdvice)] = [
        ("BadCollapseId", 400, .fixRequest), ("BadDeviceToken", 400, .dropToken),
        ("BadExpirationDate", 400, .fixRequest), ("BadMessageId", 400, .fixRequest), ("BadPriority", 400, .fixRequest),
        ("BadTopic", 400, .fixRequest), ("DeviceTokenNotForTopic", 400, .dropToken),
        ("DuplicateHeaders", 400, .fixRequest), ("IdleTimeout", 400, .reconnect),
        ("InvalidPushType", 400, .fixRequest), ("MissingDeviceToken", 400, .fixRequest),
        ("MissingTopic", 400, .fixRequest), ("PayloadEmpty", 400, .fixRequest),
        ("TopicDisallowed", 400, .fixCredential), ("BadCertificate", 403, .fixCredential),
        ("BadCertificateEnvironment", 403, .fixCredential), ("ExpiredProviderToken", 403, .renewToken),
        ("Forbidden", 403, .fixCredential), ("InvalidProviderToken", 403, .fixCredential),
        ("MissingProviderToken", 403, .fixCredential), ("UnrelatedKeyIdInToken", 403, .reconnect),
        ("BadEnvironmentKeyIdInToken", 403, .fixCredential), ("BadEnvironmentKeyInToken", 403, .fixCredential),
        ("BadPath", 404, .fixRequest), ("MethodNotAllowed", 405, .fixRequest), ("ExpiredToken", 410, .dropToken),
        ("Unregistered", 410, .dropToken), ("PayloadTooLarge", 413, .fixRequest),
        ("TooManyProviderTokenUpdates", 429, .wait), ("TooManyRequests", 429, .wait),
        ("InternalServerError", 500, .wait), ("ServiceUnavailable", 503, .wait), ("Shutdown", 503, .reconnect),
        ("FeatureNotEnabled", 400, .fixCredential), ("BroadcastFeatureNotEnabled", 400, .fixCredential),
        ("MissingChannelId", 400, .fixRequest), ("BadChannelId", 400, .forgetChannel),
        ("MissingChannelQueueSize", 400, .fixRequest), ("ChannelNotRegistered", 400, .forgetChannel),
        ("BadRequestParams", 400, .fixRequest),
        ("BadRequestPayload", 400, .fixRequest), ("MissingPushType", 400, .fixRequest),
        ("CannotCreateChannelConfig", 400, .fixRequest), ("TopicMismatch", 403, .fixCredential),
    ]

    @Test("parity: P6 – every reason is known, with its advice", arguments: reference.indices)
    func everyReasonHasStatusMeaningAndAdvice(index: Int) {
        let row = Self.reference[index]
        let reason = RejectionReason(rawValue: row.reason)
        #expect(reason.isKnown)
        #expect(reason.usualStatus == row.status)
        #expect(reason.advice == row.advice)
        for sentence in [reason.meaning, reason.remedy, row.advice.sentence] {
            #expect(sentence.hasSuffix(".") && sentence.count > 10)
        }
        let response = PushResponse(status: row.status, body: Array("{\"reason\":\"\(row.reason)\"}".utf8))
        #expect(response.reason == reason)
        #expect(response.advice == row.advice)
    }

    @Test func theTableHoldsTheseReasonsOnce() {
        #expect(Set(RejectionReason.known.map(\.rawValue)) == Set(Self.reference.map(\.reason)))
        #expect(RejectionReason.known.count == Self.reference.count)
    }

    @Test(
        "parity: P6 – an unknown reason is kept and judged by its status",
        arguments: [
            (400, RejectionAdvice.fixRequest), (401, .fixCredential), (403, .fixCredential), (404, .fixRequest),
            (405, .fixRequest), (408, .wait), (410, .dropToken), (413, .fixRequest), (421, .reconnect), (429, .wait),
            (500, .wait), (503, .wait), (599, .wait), (302, .fixRequest),
        ])
    func unknownReasonsAreKept(status: Int, advice: RejectionAdvice) {
        let response = PushResponse(status: status, body: Array(#"{"reason":"BrandNew"}"#.utf8))
        #expect(response.reason == RejectionReason(rawValue: "BrandNew"))
        #expect(response.reason?.isKnown == false)
        #expect(response.reason?.advice == nil)
        #expect(response.advice == advice)
        #expect(PushResponse(status: status).advice == advice)
    }

    @Test func aSpaceInServiceUnavailableIsOverlooked() {
        #expect(RejectionReason(rawValue: "Service Unavailable") == .serviceUnavailable)
    }

    @Test func everyAdviceHasASentenceOfItsOwn() {
        let all: [RejectionAdvice] = [
            .dropToken, .fixRequest, .fixCredential, .renewToken, .wait, .reconnect, .forgetChannel,
        ]
        #expect(Set(all.map(\.sentence)).count == all.count)
    }

    /// What no reason in this list judges, it judges the push.
    private static let subjects: [PushResponse.Subject: Set<String>] = [
        .device: ["BadDeviceToken", "DeviceTokenNotForTopic", "ExpiredToken", "Unregistered", "TooManyRequests"],
        .sender: [
            "BadTopic", "MissingTopic", "TopicDisallowed", "BadCertificate", "BadCertificateEnvironment",
            "ExpiredProviderToken", "Forbidden", "InvalidProviderToken", "MissingProviderToken",
            "UnrelatedKeyIdInToken", "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken", "BadPath",
            "MethodNotAllowed", "TooManyProviderTokenUpdates", "FeatureNotEnabled", "BroadcastFeatureNotEnabled",
            "TopicMismatch",
        ],
        .service: ["IdleTimeout", "InternalServerError", "ServiceUnavailable", "Shutdown"],
    ]

    @Test func everyReasonSaysWhatItJudges() {
        for reason in RejectionReason.known {
            let subject = Self.subjects.first { $0.value.contains(reason.rawValue) }?.key ?? .push
            #expect(reason.judges == subject, "\(reason)")
        }
        let statuses: [Int: PushResponse.Subject] = [
            400: .push, 403: .sender, 410: .device, 413: .push, 429: .device, 502: .service,
        ]
        for (status, subject) in statuses { #expect(PushResponse(status: status).judges == subject) }
        #expect(PushResponse(status: 200).judges == nil)
        #expect(Set(PushResponse.Subject.allCases.filter(\.leavesPushOpen)) == [.sender, .service])
    }

    @Test(arguments: [
        ("InvalidProviderToken", true), ("ExpiredProviderToken", true), ("BadCertificate", true), ("Forbidden", true),
        ("UnrelatedKeyIdInToken", false), ("TopicMismatch", false),
    ])
    func refusesCredential(_ reason: String, _ refuses: Bool) {
        #expect(PushResponse(status: 403, body: Array(#"{"reason":"\#(reason)"}"#.utf8)).refusesCredential == refuses)
        #expect(!PushResponse(status: 400, body: Array(#"{"reason":"\#(reason)"}"#.utf8)).refusesCredential)
    }
}
