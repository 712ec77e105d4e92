import Testing

@testable import PushSimulator

@Suite struct RequestChecksTests {
    /// One way to be wrong, and what it is answered with.
    struct Fault: Sendable, CustomTestStringConvertible {
        let row: Int
        let refusal: Refusal
        let name: String
        let spoil: @Sendable (inout CheckHarness) throws -> Void

        init(
            _ row: Int, _ refusal: Refusal, _ name: String,
            _ spoil: @escaping @Sendable (inout CheckHarness) throws -> Void
        ) {
            self.row = row
            self.refusal = refusal
            self.name = name
            self.spoil = spoil
        }

        var testDescription: String { "row \(row): \(name)" }
    }

    /// A key of another team, one for the other environment, one for other topics.
    static func keys() throws -> [ProviderKey] {
        let other = try ThrowAwayCredentials(keyID: "KEYBBBBBBB", teamID: "TEAMBBBBBB")
        let development = try ThrowAwayCredentials(keyID: "KEYCCCCCCC", teamID: "TEAMAAAAAA")
        let topics = try ThrowAwayCredentials(keyID: "KEYDDDDDDD", teamID: "TEAMAAAAAA")
        return [
            try other.signingKey(),
            try ProviderKey(
                pem: development.signingKeyPEM, keyID: development.keyID, teamID: development.teamID,
                environments: [.development]),
            try ProviderKey(
                pem: topics.signingKeyPEM, keyID: topics.keyID, teamID: topics.teamID,
                scope: .topics(["com.example.other"])),
        ]
    }

    static let otherKeys = Result { try keys() }

    /// A good token of one of the other keys.
    static func bearer(_ keyID: String) throws -> String {
        let key = try #require(try otherKeys.get().first { $0.keyID == keyID })
        let claims = TokenMaker(keyID: key.keyID, teamID: key.teamID, key: key.key)
        return "bearer " + (try claims.token(issuedAt: "\(CheckHarness.wallClock / 1000)"))
    }

    static let faults: [Fault] = [
        Fault(3, .shutdown, "draining") { $0.isDraining = true },
        Fault(4, .methodNotAllowed, "GET") { $0[":method"] = "GET" },
        Fault(4, .methodNotAllowed, "lower-case post") { $0[":method"] = "post" },
        Fault(5, .badPath, "another path") { $0[":path"] = "/3/devices/" + CheckHarness.token },
        Fault(5, .badPath, "no slash at the end") { $0[":path"] = "/3/device" },
        Fault(6, .missingProviderToken, "no authorization") { $0["authorization"] = nil },
        Fault(6, .missingProviderToken, "another scheme") { $0["authorization"] = "basic QWxhZGRpbg==" },
        Fault(6, .missingProviderToken, "an empty token") { $0["authorization"] = "bearer  " },
        Fault(7, .invalidProviderToken, "rubbish") { $0["authorization"] = "bearer rubbish" },
        Fault(7, .invalidProviderToken, "from the future") {
            $0["authorization"] = "bearer " + (try $0.token(age: -3601))
        },
        Fault(8, .expiredProviderToken, "an hour and a second") {
            $0["authorization"] = "bearer " + (try $0.token(age: 3601))
        },
        Fault(9, .invalidProviderToken, "another team later") {
            _ = $0.judge()
            $0.now += 1201 * CheckHarness.second
            $0["authorization"] = try bearer("KEYBBBBBBB")
        },
        Fault(10, .badEnvironmentKeyInToken, "a key of the other environment") {
            $0["authorization"] = try bearer("KEYCCCCCCC")
        },
        Fault(10, .unrelatedKeyIDInToken, "a key for topics after one for the team") {
            _ = $0.judge()
            $0["authorization"] = try bearer("KEYDDDDDDD")
        },
        Fault(11, .tooManyProviderTokenUpdates, "a new token after 19 minutes 59") {
            _ = $0.judge()
            $0.now += 1199 * CheckHarness.second
            $0["authorization"] = "bearer " + (try $0.token(age: 0))
        },
        Fault(13, .duplicateHeaders, "two topics") { $0.headers.append(("apns-topic", "com.example.two")) },
        Fault(13, .duplicateHeaders, "two ids") { $0.headers.append(("apns-id", "x")) },
        Fault(14, .badMessageID, "no UUID") { $0["apns-id"] = "123e4567e89b12d3a456426614174000" },
        Fault(14, .badMessageID, "a UUID with a strange digit") {
            $0["apns-id"] = "g23e4567-e89b-12d3-a456-426614174000"
        },
        Fault(15, .badExpirationDate, "negative") { $0["apns-expiration"] = "-1" },
        Fault(15, .badExpirationDate, "words") { $0["apns-expiration"] = "soon" },
        Fault(15, .badExpirationDate, "past 64 bits") { $0["apns-expiration"] = "92233720368547758070" },
        Fault(15, .badExpirationDate, "empty") { $0["apns-expiration"] = "" },
        Fault(16, .badPriority, "seven") { $0["apns-priority"] = "7" },
        Fault(17, .invalidPushType, "unknown") { $0["apns-push-type"] = "Alert" },
        Fault(18, .badCollapseID, "65 bytes") { $0["apns-collapse-id"] = String(repeating: "x", count: 65) },
        Fault(19, .missingTopic, "no topic") { $0["apns-topic"] = nil },
        Fault(19, .missingTopic, "an empty topic") { $0["apns-topic"] = "" },
        Fault(20, .badTopic, "a blank in it") { $0["apns-topic"] = "com.example app" },
        Fault(21, .topicDisallowed, "a topic of nobody here") { $0.policy.topics = ["com.example.other"] },
        Fault(21, .topicDisallowed, "a topic the key does not cover") {
            $0["authorization"] = try bearer("KEYDDDDDDD")
        },
        Fault(21, .topicDisallowed, "MDM with a key") { $0["apns-push-type"] = "mdm" },
        Fault(22, .missingDeviceToken, "no device token") { $0[":path"] = "/3/device/" },
        Fault(23, .payloadEmpty, "no body") { $0.bodyCount = 0 },
        Fault(24, .payloadTooLarge, "4097 bytes") { $0.bodyCount = 4097 },
        Fault(25, .badDeviceToken, "not hex") { $0[":path"] = "/3/device/xyz0" },
        Fault(25, .badDeviceToken, "an odd length") { $0[":path"] = "/3/device/abc" },
        Fault(25, .badDeviceToken, "not known") { $0[":path"] = "/3/device/baadf00d00" },
        Fault(26, .unregistered, "unregistered") { $0[":path"] = "/3/device/deadbeef00" },
        Fault(26, .expiredToken, "expired") { $0[":path"] = "/3/device/DEADC0DE00" },
        Fault(27, .deviceTokenNotForTopic, "of another topic") { $0[":path"] = "/3/device/0ddba11500" },
        Fault(27, .deviceTokenNotForTopic, "registered for another topic") {
            $0.policy.devices.set(.validOnly(topic: "com.example.other"), for: CheckHarness.token)
        },
        Fault(28, .tooManyRequests, "too many") { $0[":path"] = "/3/device/f100ded000" },
        Fault(29, .serviceUnavailable, "injected") { $0.injected = .serviceUnavailable },
    ]

    @Test(arguments: faults)
    func eachCheckGivesItsAnswer(_ fault: Fault) throws {
        var harness = try CheckHarness(otherKeys: try Self.otherKeys.get())
        try fault.spoil(&harness)
        let verdict = harness.judge()
        #expect(verdict.refusal == fault.refusal)
        #expect((verdict.timestamp != nil) == (verdict.status == 410))
    }

    /// Faults that cannot be had together say nothing about order: they touch the same header, or one needs an earlier push or a good path.
    @Test func ofTwoFaultsTheEarlierCheckAnswers() throws {
        let simple = Self.faults.filter { fault in
            ![9, 11].contains(fault.row)
                && !["a key for topics after one for the team", "registered for another topic"].contains(fault.name)
        }
        let good = try CheckHarness()
        func touched(_ fault: Fault) throws -> Set<String> {
            var harness = try CheckHarness()
            try fault.spoil(&harness)
            let before = Set(good.headers.map { $0.name + "=" + $0.value })
            let names = before.symmetricDifference(harness.headers.map { $0.name + "=" + $0.value })
                .compactMap { $0.split(separator: "=").first.map(String.init) }
            return Set(names).union(harness.headers.count > good.headers.count ? ["twice"] : [])
        }
        let headers = try simple.map(touched)
        var compared = 0
        for (index, earlier) in simple.enumerated() {
            for (other, later) in simple.enumerated() where later.row > earlier.row {
                guard headers[index].isDisjoint(with: headers[other]), (earlier.row, later.row) != (4, 5) else {
                    continue
                }
                var harness = try CheckHarness(otherKeys: try Self.otherKeys.get())
                try later.spoil(&harness)
                try earlier.spoil(&harness)
                compared += 1
                #expect(
                    harness.judge().refusal == earlier.refusal,
                    "\(earlier.testDescription) before \(later.testDescription)")
            }
        }
        #expect(compared > 500)
    }

    @Test func everyNumberedRowIsThereOnceAndInOrder() {
        #expect(RequestChecks.rows.map(\.number) == Array(3...29))
    }

    @Test func aGoodPushIsAcceptedAndLiftsTheLimit() throws {
        var harness = try CheckHarness()
        #expect(harness.facts.streamLimit == 1)
        #expect(harness.judge() == Verdict())
        #expect(harness.facts.streamLimit == 1000)
        #expect(harness.judge().status == 200)
    }

    @Test func theLimitRisesWithTheFirstGoodTokenEvenIfThePushIsRefused() throws {
        var harness = try CheckHarness()
        harness.bodyCount = 0
        #expect(harness.judge().refusal == .payloadEmpty)
        #expect(harness.facts.streamLimit == 1000)
    }

    @Test func aRefusedTokenLeavesTheLimitAtOne() throws {
        var harness = try CheckHarness()
        harness["authorization"] = "bearer rubbish"
        _ = harness.judge()
        #expect(harness.facts.streamLimit == 1)
    }

    @Test(arguments: [nil, "0", "1800000000"])
    func expirationsThatAreGood(_ value: String?) throws {
        var harness = try CheckHarness()
        harness["apns-expiration"] = value
        #expect(harness.judge().status == 200)
    }

    @Test(arguments: [3600, -3600, 0, 1])
    func tokensWithinAnHourAreGood(_ age: Int64) throws {
        var harness = try CheckHarness()
        harness["authorization"] = "Bearer " + (try harness.token(age: age))
        #expect(harness.judge().status == 200)
    }

    @Test func aTokenThatWasGoodExpiresOnAnOpenConnection() throws {
        var harness = try CheckHarness()
        #expect(harness.judge().status == 200)
        harness.wallClock += 3_541_000
        #expect(harness.judge().refusal == .expiredProviderToken)
    }

    @Test func aNewTokenAfterTwentyMinutesIsGood() throws {
        var harness = try CheckHarness()
        _ = harness.judge()
        harness.now += 1200 * CheckHarness.second
        harness["authorization"] = "bearer " + (try harness.token(age: 0))
        #expect(harness.judge().status == 200)
        harness["authorization"] = "bearer " + (try harness.token(age: 1))
        #expect(harness.judge().refusal == .tooManyProviderTokenUpdates)
    }

    @Test func theOldTokenStaysGoodAfterANewOneWasRefusedAsTooSoon() throws {
        var harness = try CheckHarness()
        let first = harness["authorization"]
        _ = harness.judge()
        harness["authorization"] = "bearer " + (try harness.token(age: 0))
        #expect(harness.judge().status == 429)
        harness["authorization"] = first
        #expect(harness.judge().status == 200)
    }

    @Test func voipMayCarry5120Bytes() throws {
        var harness = try CheckHarness()
        harness["apns-topic"] = "com.example.app.voip"
        harness["apns-push-type"] = nil
        harness.bodyCount = 5120
        #expect(harness.judge().status == 200)
        harness.bodyCount = 5121
        #expect(harness.judge().refusal == .payloadTooLarge)
        harness["apns-topic"] = "com.example.app"
        harness["apns-push-type"] = "voip"
        harness.bodyCount = 5120
        #expect(harness.judge().status == 200)
    }

    @Test func aCollapseIDOf64BytesIsGoodHoweverManyCharactersItHas() throws {
        var harness = try CheckHarness()
        harness["apns-collapse-id"] = String(repeating: "ä", count: 32)
        #expect(harness.judge().status == 200)
        harness["apns-collapse-id"] = String(repeating: "ä", count: 33)
        #expect(harness.judge().refusal == .badCollapseID)
    }

    @Test func unknownHeadersMayComeTwice() throws {
        var harness = try CheckHarness()
        harness.headers.append(("user-agent", "again"))
        #expect(harness.judge().status == 200)
    }

    @Test(arguments: PushKind.allCases)
    func everyPushTypeIsKnown(_ kind: PushKind) throws {
        var harness = try CheckHarness()
        harness.policy.strictness = .strict
        harness["apns-priority"] = "5"
        harness["apns-push-type"] = kind.rawValue
        harness["apns-topic"] = "com.example.app" + kind.topicSuffix.description
        // No key has a topic of MDM.
        #expect(harness.judge().refusal == (kind == .mdm ? .topicDisallowed : nil))
    }

    @Test(
        "a topic with the suffix of another push type is refused as APNs does",
        arguments: [
            ("alert", "com.example.app.voip"), ("background", "com.example.app.push-type.accessory"),
            ("liveactivity", "com.example.app.voip"), ("voip", "com.example.app.voip.voip"),
        ])
    func topicsOfOtherPushTypes(_ pushType: String, _ topic: String) throws {
        var harness = try CheckHarness()
        harness["apns-push-type"] = pushType
        harness["apns-topic"] = topic
        #expect(harness.judge().refusal == .invalidPushType)
        harness["apns-push-type"] = nil
        #expect(harness.judge().status == 200, "APNs infers the push type")
        harness["apns-push-type"] = pushType
        harness.policy.topics = [
            "com.example.app.voip", "com.example.app.push-type.accessory", "com.example.app.voip.voip",
        ]
        #expect(harness.judge().status == 200, "a bundle id may end so")
    }

    @Test func strictChecksWantSuffixAndPatience() throws {
        var harness = try CheckHarness()
        harness["apns-push-type"] = "voip"
        #expect(harness.judge().status == 200)
        harness.policy.strictness = .strict
        #expect(harness.judge().refusal == .badTopic)
        harness["apns-push-type"] = "background"
        #expect(harness.judge().refusal == .badPriority)
        harness["apns-priority"] = nil
        #expect(harness.judge().refusal == .badPriority)
        harness["apns-priority"] = "5"
        #expect(harness.judge().status == 200)
    }

    @Test func theLimitDropsAfterARefusalOnlyIfAsked() throws {
        var harness = try CheckHarness()
        harness.policy.strictness = Strictness(lowersLimitAfterRefusal: true)
        _ = harness.judge()
        #expect(harness.facts.streamLimit == 1000)
        harness[":path"] = "/3/device/baadf00d"
        _ = harness.judge()
        #expect(harness.facts.streamLimit == 1)
        harness[":path"] = "/3/device/" + CheckHarness.token
        _ = harness.judge()
        #expect(harness.facts.streamLimit == 1000)
        harness[":path"] = "/3/device/deadbeef"
        _ = harness.judge()
        #expect(harness.facts.streamLimit == 1000)
    }

    @Test func aCertificateStandsForItsTopic() throws {
        let single = ProviderCertificate(subjectUID: "com.example.app", environments: [.production])
        var harness = try CheckHarness(.certificate(single))
        #expect(harness.facts.streamLimit == 1000)
        harness["apns-topic"] = nil
        #expect(harness.judge().status == 200)
        harness["authorization"] = "bearer ignored"
        #expect(harness.judge().status == 200)
        harness["apns-topic"] = "com.example.other"
        #expect(harness.judge().refusal == .topicDisallowed)

        let several = ProviderCertificate(
            subjectUID: "com.example.app", topics: ["com.example.app", "com.example.app.voip"],
            environments: [.production])
        var other = try CheckHarness(.certificate(several))
        other["apns-topic"] = nil
        #expect(other.judge().refusal == .missingTopic)
        other["apns-topic"] = "com.example.app.voip"
        other["apns-push-type"] = "voip"
        #expect(other.judge().status == 200)
    }

    @Test func aConnectionIsBoundToTheAppsThatThereAreAtItsFirstPush() throws {
        var old = try CheckHarness()
        old.policy.topics = ["com.example.app"]
        var new = old
        #expect(old.judge().status == 200)
        old.policy.added.add("com.example.new")
        for topic in ["com.example.new", "com.example.new.voip"] {
            (old["apns-topic"], new["apns-topic"]) = (topic, topic)
            let type = topic.hasSuffix(".voip") ? "voip" : "alert"
            (old["apns-push-type"], new["apns-push-type"]) = (type, type)
            #expect(old.judge().refusal == .topicDisallowed)
            #expect(new.judge().status == 200)
        }
        (old["apns-topic"], new["apns-topic"]) = ("com.example.app", "com.example.other")
        old["apns-push-type"] = "alert"
        new["apns-push-type"] = "alert"
        #expect(old.judge().status == 200 && new.judge().refusal == .topicDisallowed)
    }

    @Test func anMDMCertificateStandsForItsTopic() throws {
        let certificate = ProviderCertificate(
            subjectUID: "com.apple.mgmt.External.1", environments: [.production])
        var harness = try CheckHarness(.certificate(certificate))
        harness["apns-push-type"] = "mdm"
        harness["apns-topic"] = "com.apple.mgmt.External.1"
        #expect(harness.judge().status == 200)
        harness["apns-topic"] = "com.example.app"
        #expect(harness.judge().refusal == .topicDisallowed)
    }

    @Test func everyRefusalHasAStatusAndABody() {
        for refusal in Refusal.allCases {
            #expect((400...503).contains(refusal.status))
            #expect(
                String(decoding: refusal.body(timestamp: nil), as: UTF8.self) == #"{"reason":"\#(refusal.rawValue)"}"#)
        }
        #expect(
            String(decoding: Refusal.unregistered.body(timestamp: 17), as: UTF8.self)
                == #"{"reason":"Unregistered","timestamp":17}"#)
    }
}
