import PushProtocol
import Testing

@Suite struct RequestCheckTests {
    private func push(
        bytes: Int = 2, type: PushType? = nil, topic: Topic? = "com.example.app", expiration: Expiration? = nil
    ) -> PushNotification {
        PushNotification(
            payload: Payload(unchecked: [UInt8](repeating: 0x20, count: bytes)), pushType: type, topic: topic,
            expiration: expiration)
    }

    @Test("parity: P8 – the payload's size is checked before sending", arguments: PushType.known)
    func everyTypeHasItsLimit(type: PushType) throws {
        let limit = type == .voip ? 5120 : 4096
        let topic = Topic("com.example.app").suffixed(for: type)
        try push(bytes: limit, type: type, topic: topic).validate()
        let error = #expect(throws: InvalidPush(.payloadTooLarge, bytes: limit + 1, limit: limit)) {
            try push(bytes: limit + 1, type: type, topic: topic).validate()
        }
        #expect(error?.description.contains("\(limit)") == true)
        #expect(throws: InvalidPush(.payloadEmpty)) { try push(bytes: 0, type: type, topic: topic).validate() }
    }

    @Test func aVoIPTopicHasTheLargerLimit() throws {
        let voip = RequestDefaults(waived: .topicSuffix)
        try push(bytes: 5120, topic: "com.example.app.voip").validate(defaults: voip)
        try push(bytes: 5120, type: .voip, topic: nil).validate(defaults: .init(topic: "com.example.app"))
        #expect(throws: InvalidPush(.payloadTooLarge, bytes: 5121, limit: 5120)) {
            try push(bytes: 5121, topic: "com.example.app.voip").validate(defaults: voip)
        }
    }

    @Test func aTopicIsNeededWithAProviderTokenOnly() throws {
        #expect(throws: InvalidPush(.topicMissing)) { try push(topic: nil).validate() }
        #expect(throws: InvalidPush(.topicMissing)) { try push(topic: "").validate(requiresTopic: false) }
        try push(topic: nil).validate(requiresTopic: false)
        try push(topic: nil).validate(defaults: .init(topic: "com.example.app"))
    }

    @Test(arguments: ["a\r\nx: y", "a\nb", "a\u{0}b", "a\u{7f}", "com.exämple", "a b", " a", "a\t"])
    func noTopicOrTypeBreaksOutOfItsField(text: String) {
        #expect(throws: InvalidPush(.invalidTopic)) { try push(topic: Topic(text)).validate() }
        #expect(throws: InvalidPush(.invalidPushType)) { try push(type: PushType(rawValue: text)).validate() }
        #expect(throws: InvalidPush(.invalidTopic)) {
            try push(topic: nil).validate(defaults: .init(topic: Topic(text)))
        }
    }

    @Test func noTopicTypeOrTokenOutgrowsAHeaderBlock() throws {
        func text(_ bytes: Int) -> String { String(repeating: "a", count: bytes) }
        try push(topic: Topic(text(512))).validate()
        #expect(throws: InvalidPush(.topicTooLong, bytes: 513, limit: 512)) {
            try push(topic: Topic(text(513))).validate()
        }
        // With the suffix that a default gets.
        #expect(throws: InvalidPush(.topicTooLong, bytes: 517, limit: 512)) {
            try push(type: .voip, topic: nil).validate(defaults: .init(topic: Topic(text(512))))
        }
        try push(type: PushType(rawValue: text(64))).validate()
        #expect(throws: InvalidPush(.pushTypeTooLong, bytes: 65, limit: 64)) {
            try push(type: PushType(rawValue: text(65))).validate()
        }
        #expect(try BearerToken(text(4_096)).jwt.utf8.count == 4_096)
        #expect(throws: InvalidPush(.authorizationTooLong, bytes: 4_097, limit: 4_096)) {
            try BearerToken(text(4_097))
        }
    }

    @Test func anEmptyPushTypeIsRefused() {
        #expect(throws: InvalidPush(.invalidPushType)) { try push(type: PushType(rawValue: "")).validate() }
    }

    @Test func anExpirationBefore1970IsRefused() throws {
        #expect(throws: InvalidPush(.invalidExpiration)) { try push(expiration: .init(unixSeconds: -1)).validate() }
        try push(expiration: .immediately).validate()
        try push(expiration: .init(unixSeconds: 1)).validate()
    }

    @Test func aCollapseIDHasAtMost64BytesOfUTF8() throws {
        #expect(try CollapseID(String(repeating: "é", count: 32)).text.utf8.count == 64)
        #expect(throws: InvalidPush(.collapseIDTooLong, bytes: 66, limit: 64)) {
            try CollapseID(String(repeating: "é", count: 33))
        }
        #expect(try CollapseID("a b").description == "a b")
    }

    @Test(arguments: ["", " a", "a ", "a\nb", "a\u{0}", "\u{7f}"])
    func aCollapseIDFitsIntoAHeader(text: String) {
        #expect(throws: InvalidPush(.invalidCollapseID)) { try CollapseID(text) }
    }

    @Test(arguments: ["", "bearer abc", "a.b.c\n", "a.b.ç"])
    func aTokenOfTheCallerIsAJWTAlone(text: String) {
        #expect(throws: InvalidPush(.invalidAuthorization)) { try BearerToken(text) }
    }

    @Test func everyErrorHasASentenceOfItsOwn() {
        let codes: [InvalidPush.Code] = [
            .payloadEmpty, .payloadTooLarge, .payloadNotJSON, .customKeyReserved, .customValueNotFinite, .topicMissing,
            .invalidTopic, .invalidPushType, .invalidExpiration, .collapseIDTooLong, .invalidCollapseID,
            .invalidAuthorization, .topicTooLong, .pushTypeTooLong, .authorizationTooLong, .contentNotEncodable,
            .contentNotObject, .volumeOutOfRange, .relevanceOutOfRange, .keyMissing, .contentNotAlone, .contentMissing,
            .priorityNotPermitted, .expirationNotPermitted, .topicSuffixMissing, .providerTokenNeeded,
            .tooManyHeaders, .headersTooLarge, .pseudoHeader, .invalidHeaderName, .invalidHeaderValue,
            .headerNotPermitted, .dateInMilliseconds, .dateMisplaced,
        ]
        let sentences = Set(codes.map { InvalidPush($0, bytes: 70, limit: 64).description })
        #expect(sentences.count == codes.count)
        #expect(sentences.allSatisfy { $0.count > 40 || $0.contains(" ") })
        #expect(Set(codes.map(\.rawValue)).count == codes.count)
    }
}
