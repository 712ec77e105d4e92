import Testing

@testable import PushSimulator

/// The tables of docs/broadcast.md, row by row.
@Suite struct ChannelChecksTests {
    /// One way to be wrong, and what it is answered with.
    struct Fault: Sendable, CustomTestStringConvertible {
        let row: Int
        let refusal: Refusal
        let action: ChannelAction
        let name: String
        /// What it spoils: two that spoil the same can't be had together.
        let parts: Set<Part>
        let spoil: @Sendable (inout ChannelHarness) throws -> Void

        init(
            _ row: Int, _ refusal: Refusal, _ action: ChannelAction, _ name: String, _ parts: Set<Part>,
            _ spoil: @escaping @Sendable (inout ChannelHarness) throws -> Void
        ) {
            self.row = row
            self.refusal = refusal
            self.action = action
            self.name = name
            self.parts = parts
            self.spoil = spoil
        }

        var testDescription: String { "\(action) row \(row): \(name)" }

        func on(_ action: ChannelAction) -> Fault { Fault(row, refusal, action, name, parts, spoil) }
    }

    enum Part: CaseIterable {
        case state, method, path, credentials, requestID, topics, feature, channel, pushType, priority, expiration,
            body,
            limit, injected
    }

    /// What all requests begin with; for a broadcast, and for every other action too.
    static let beginning: [Fault] = [
        Fault(1, .shutdown, .broadcast, "draining", [.state]) { $0.push.isDraining = true },
        Fault(2, .methodNotAllowed, .broadcast, "PUT", [.method]) { $0[":method"] = "PUT" },
        Fault(2, .methodNotAllowed, .broadcast, "lower-case post", [.method]) { $0[":method"] = "post" },
        Fault(4, .missingProviderToken, .broadcast, "no authorization", [.credentials]) { $0["authorization"] = nil },
        Fault(5, .invalidProviderToken, .broadcast, "rubbish", [.credentials]) {
            $0["authorization"] = "bearer rubbish"
        },
        Fault(6, .expiredProviderToken, .broadcast, "an hour and a second", [.credentials]) {
            $0["authorization"] = "bearer " + (try $0.push.token(age: 3601))
        },
        Fault(7, .invalidProviderToken, .broadcast, "another team later", [.credentials]) {
            _ = try $0.judge()
            $0.push.now += 1201 * CheckHarness.second
            $0["authorization"] = try RequestChecksTests.bearer("KEYBBBBBBB")
        },
        Fault(8, .badEnvironmentKeyInToken, .broadcast, "a key of the other environment", [.credentials]) {
            $0["authorization"] = try RequestChecksTests.bearer("KEYCCCCCCC")
        },
        Fault(8, .unrelatedKeyIDInToken, .broadcast, "a key for topics after one for the team", [.credentials]) {
            _ = try $0.judge()
            $0["authorization"] = try RequestChecksTests.bearer("KEYDDDDDDD")
        },
        Fault(9, .tooManyProviderTokenUpdates, .broadcast, "a new token after 19 minutes 59", [.credentials]) {
            _ = try $0.judge()
            $0.push.now += 1199 * CheckHarness.second
            $0["authorization"] = "bearer " + (try $0.push.token(age: 0))
        },
        Fault(11, .badMessageID, .broadcast, "no UUID", [.requestID]) { $0["apns-request-id"] = "rubbish" },
        Fault(13, .topicMismatch, .broadcast, "an app of nobody here", [.topics]) {
            $0.push.policy.topics = ["com.example.other"]
        },
        Fault(13, .topicMismatch, .broadcast, "a key for other apps", [.credentials]) {
            $0["authorization"] = try RequestChecksTests.bearer("KEYDDDDDDD")
        },
        Fault(14, .broadcastFeatureNotEnabled, .broadcast, "no capability", [.feature]) {
            $0.channels.enabledBundleIDs = ["com.example.other"]
        },
    ]

    static let noSuchID = "AAAAAAAAAAAAAAAAAAAAAA=="

    static let broadcast: [Fault] =
        beginning + [
            Fault(3, .badPath, .broadcast, "no bundle id", [.method, .path]) { $0[":path"] = "/4/broadcasts/apps/" },
            Fault(3, .badPath, .broadcast, "something behind it", [.method, .path]) { $0[":path"]? += "/channels" },
            Fault(12, .topicDisallowed, .broadcast, "a topic", [.path]) { $0[":path"]? += ".push-type.liveactivity" },
            Fault(12, .topicDisallowed, .broadcast, "a VoIP topic", [.path]) { $0[":path"]? += ".voip" },
            Fault(15, .missingChannelID, .broadcast, "no channel", [.channel]) { $0["apns-channel-id"] = nil },
            Fault(15, .missingChannelID, .broadcast, "an empty channel", [.channel]) { $0["apns-channel-id"] = "" },
            Fault(16, .badChannelID, .broadcast, "no base64", [.channel]) { $0["apns-channel-id"] = "dHN-0" },
            Fault(16, .badChannelID, .broadcast, "too long", [.channel]) {
                $0["apns-channel-id"] = String(repeating: "A", count: 132)
            },
            Fault(16, .badChannelID, .broadcast, "never there", [.channel]) { $0["apns-channel-id"] = noSuchID },
            Fault(16, .badChannelID, .broadcast, "another app's", [.channel]) {
                $0["apns-channel-id"] = try #require($0.channels.create(for: "com.example.other")?.id)
            },
            Fault(16, .badChannelID, .broadcast, "the other environment's", [.channel]) {
                let other = $0.channels.create(for: ChannelHarness.bundleID, in: .development)
                $0["apns-channel-id"] = try #require(other?.id)
            },
            Fault(17, .channelNotRegistered, .broadcast, "deleted", [.channel]) { $0["apns-channel-id"] = $0.deleted },
            Fault(18, .missingPushType, .broadcast, "no push type", [.pushType]) { $0["apns-push-type"] = nil },
            Fault(19, .invalidPushType, .broadcast, "alert", [.pushType]) { $0["apns-push-type"] = "alert" },
            Fault(20, .badPriority, .broadcast, "no priority", [.priority]) { $0["apns-priority"] = nil },
            Fault(20, .badPriority, .broadcast, "seven", [.priority]) { $0["apns-priority"] = "7" },
            Fault(21, .badExpirationDate, .broadcast, "none", [.expiration]) { $0["apns-expiration"] = nil },
            Fault(21, .badExpirationDate, .broadcast, "words", [.expiration]) { $0["apns-expiration"] = "soon" },
            Fault(21, .badExpirationDate, .broadcast, "later, and nothing is stored", [.expiration]) {
                $0["apns-expiration"] = "1800003600"
            },
            Fault(22, .payloadEmpty, .broadcast, "no body", [.body]) { $0.body = [] },
            Fault(23, .payloadTooLarge, .broadcast, "5121 bytes", [.body]) {
                $0.body = [UInt8](repeating: 0x20, count: 5121)
            },
            Fault(24, .serviceUnavailable, .broadcast, "injected", [.injected]) {
                $0.push.injected = .serviceUnavailable
            },
        ]

    static let management: [Fault] =
        ChannelAction.allCases.filter { $0 != .broadcast }.flatMap { action in
            let own: [Fault] = [
                Fault(3, .badPath, action, "another version", [.method, .path]) {
                    $0[":path"] = "/2/apps/com.example.app/channels"
                },
                Fault(3, .badPath, action, "no bundle id", [.method, .path]) { $0[":path"] = "/1/apps//channels" },
                Fault(3, .badPath, action, "another collection", [.method, .path]) {
                    $0[":path"] = "/1/apps/com.example.app/channel"
                },
                Fault(3, .badPath, action, "an id in the path", [.method, .path]) {
                    $0[":path"] = "/1/apps/com.example.app/channels/\(noSuchID)"
                },
                Fault(3, .badPath, action, "a device push", [.method, .path]) { $0[":path"] = "/3/device/abcd" },
                Fault(3, .badPath, action, "a broadcast", [.method, .path]) {
                    $0[":path"] = "/4/broadcasts/apps/com.example.app"
                },
                Fault(12, .topicDisallowed, action, "a topic", [.path]) {
                    $0[":path"] = ChannelHarness.path(action, of: "com.example.app.push-type.liveactivity")
                },
                Fault(23, .serviceUnavailable, action, "injected", [.injected]) {
                    $0.push.injected = .serviceUnavailable
                },
            ]
            return beginning.map { $0.on(action) } + own
        }
        + [ChannelAction.read, .delete].flatMap { action in
            [
                Fault(15, .missingChannelID, action, "no channel", [.channel]) { $0["apns-channel-id"] = nil },
                Fault(16, .badChannelID, action, "no base64", [.channel]) { $0["apns-channel-id"] = "====" },
            ]
        } + [
            Fault(2, .methodNotAllowed, .list, "DELETE of all", [.method]) { $0[":method"] = "DELETE" },
            Fault(16, .badChannelID, .read, "never there", [.channel]) { $0["apns-channel-id"] = noSuchID },
            Fault(17, .channelNotRegistered, .read, "deleted", [.channel]) { $0["apns-channel-id"] = $0.deleted },
            Fault(18, .badPath, .delete, "never there", [.channel]) { $0["apns-channel-id"] = noSuchID },
            Fault(18, .badPath, .delete, "deleted before", [.channel]) { $0["apns-channel-id"] = $0.deleted },
            Fault(19, .payloadTooLarge, .create, "4097 bytes", [.body]) {
                $0.body += [UInt8](repeating: 0x20, count: 4097 - $0.body.count)
            },
            Fault(20, .badRequestPayload, .create, "no body", [.body]) { $0.body = [] },
            Fault(20, .badRequestPayload, .create, "no JSON", [.body]) { $0.body = Array("policy=1".utf8) },
            Fault(20, .badRequestPayload, .create, "no object", [.body]) { $0.body = Array("[1]".utf8) },
            Fault(21, .missingChannelQueueSize, .create, "no policy", [.body]) {
                $0.body = Array(#"{"push-type":"LiveActivity"}"#.utf8)
            },
            Fault(21, .missingChannelQueueSize, .create, "a third policy", [.body]) {
                $0.body = Array(#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#.utf8)
            },
            Fault(21, .missingChannelQueueSize, .create, "a policy in words", [.body]) {
                $0.body = Array(#"{"message-storage-policy":"1","push-type":"LiveActivity"}"#.utf8)
            },
            Fault(21, .badRequestParams, .create, "no push type", [.body]) {
                $0.body = Array(#"{"message-storage-policy":1}"#.utf8)
            },
            Fault(21, .badRequestParams, .create, "another push type", [.body]) {
                $0.body = Array(#"{"message-storage-policy":1,"push-type":"alert"}"#.utf8)
            },
            Fault(22, .cannotCreateChannelConfig, .create, "one too many", [.limit]) {
                while $0.channels.create(for: ChannelHarness.bundleID) != nil {}
            },
        ]

    @Test("parity: F11 – each check of a broadcast gives its answer", arguments: broadcast)
    func eachCheckOfABroadcastGivesItsAnswer(_ fault: Fault) throws { try expect(fault) }

    @Test("parity: F11 – each check of channel management gives its answer", arguments: management)
    func eachCheckOfManagementGivesItsAnswer(_ fault: Fault) throws { try expect(fault) }

    private func expect(_ fault: Fault) throws {
        var harness = try ChannelHarness(fault.action, otherKeys: try RequestChecksTests.otherKeys.get())
        try fault.spoil(&harness)
        let before = harness.channels.channels(of: ChannelHarness.bundleID)
        let verdict = try harness.judge().verdict
        #expect(verdict == Verdict(refusal: fault.refusal))
        #expect(harness.channels.channels(of: ChannelHarness.bundleID) == before)
    }

    @Test("parity: F11 – of two faults the earlier check answers", arguments: ChannelAction.allCases)
    func ofTwoFaultsTheEarlierCheckAnswers(_ action: ChannelAction) throws {
        let faults = (Self.broadcast + Self.management).filter { $0.action == action }
        let rows = Set(faults.map(\.row)).sorted()
        var tried: Set<[Int]> = []
        for earlier in faults {
            for later in faults where later.row > earlier.row && later.parts.isDisjoint(with: earlier.parts) {
                var harness = try ChannelHarness(action, otherKeys: try RequestChecksTests.otherKeys.get())
                // The credentials first: some need a request that is good so far.
                for fault in [earlier, later].sorted(by: { first, _ in first.parts == [.credentials] }) {
                    try fault.spoil(&harness)
                }
                let refusal = try harness.judge().verdict.refusal
                #expect(refusal == earlier.refusal, "\(earlier.testDescription), \(later.testDescription)")
                tried.insert([earlier.row, later.row])
            }
        }
        let neighbours = Set(zip(rows, rows.dropFirst()).map { [$0, $1] })
        #expect(neighbours.subtracting(tried) == Self.notTogether(action))
    }

    /// Neighbours that no request breaks both: an unknown path has no methods, and the others are about one header or the body.
    private static func notTogether(_ action: ChannelAction) -> Set<[Int]> {
        let all: Set<[Int]> = [[2, 3], [4, 5], [5, 6], [6, 7], [7, 8], [8, 9]]
        return switch action {
        case .broadcast: all.union([[15, 16], [16, 17], [18, 19], [22, 23]])
        case .create: all.union([[19, 20], [20, 21]])
        case .read: all.union([[15, 16], [16, 17]])
        case .delete: all.union([[15, 16], [16, 18]])
        case .list: all
        }
    }

    @Test func theTablesAreWhole() {
        func rows(_ faults: [Fault]) -> [Int] { Set(faults.map(\.row)).sorted() }
        // Row 10 takes the provider token into use, row 24 of the second does what is asked for: neither objects to a request.
        #expect(rows(Self.broadcast) == (1...24).filter { $0 != 10 })
        #expect(rows(Self.management) == (1...23).filter { $0 != 10 })
        #expect(ChannelChecks.broadcast.count == 24)
        #expect(ChannelChecks.management.count == 24)
    }

    @Test func goodRequestsAreAccepted() throws {
        for action in ChannelAction.allCases {
            var harness = try ChannelHarness(action)
            let (verdict, reply) = try harness.judge()
            #expect(verdict.refusal == nil)
            #expect(reply.status == [.create: 201, .delete: 204][action] ?? 200)
            #expect(harness.push.facts.streamLimit == 1000)
        }
    }

    @Test func whatMayDifferIsAccepted() throws {
        let changes: [@Sendable (inout ChannelHarness) -> Void] = [
            { $0["apns-push-type"] = "Liveactivity" },
            { $0["apns-priority"] = "1" },
            { $0["apns-channel-id"] = $0.storing },
            { harness in
                harness["apns-channel-id"] = harness.storing
                harness["apns-expiration"] = "1800003600"
            },
            { $0["apns-request-id"] = nil },
            { $0.body = [UInt8](repeating: 0x20, count: 5120) },
            { $0["apns-topic"] = "anything" },
            { $0["apns-id"] = "no UUID" },
        ]
        for change in changes {
            var harness = try ChannelHarness(.broadcast)
            change(&harness)
            #expect(try harness.judge().verdict.refusal == nil)
        }
        var creation = try ChannelHarness(.create)
        creation.body = Array(#"{ "push-type": "liveactivity", "message-storage-policy": 0, "more": [] }"#.utf8)
        #expect(try creation.judge().reply.status == 201)
        #expect(creation.channels.channels(of: ChannelHarness.bundleID).last?.storagePolicy == .noStorage)
    }

    @Test func aBundleIDThatLooksLikeATopicCanBeNamed() throws {
        var harness = try ChannelHarness(.list)
        harness[":path"] = ChannelHarness.path(.list, of: "com.example.voip")
        #expect(try harness.judge().verdict.refusal == .topicDisallowed)
        harness.channels.enabledBundleIDs = ["com.example.voip"]
        #expect(try harness.judge().verdict.refusal == nil)
    }

    @Test func aCertificateSpeaksForItsTopics() throws {
        let certificate = ProviderCertificate(
            subjectUID: "com.example.other", topics: ["com.example.other", "com.example.app"],
            environments: [.production])
        var harness = try ChannelHarness(.list, .certificate(certificate))
        #expect(try harness.judge().verdict.refusal == nil)
        harness[":path"] = ChannelHarness.path(.list, of: "com.example.third")
        #expect(try harness.judge().verdict.refusal == .topicMismatch)
    }

    @Test func aRefusalLowersTheLimitWhereThatIsWanted() throws {
        var harness = try ChannelHarness(.list)
        harness.push.policy.strictness.lowersLimitAfterRefusal = true
        _ = try harness.judge()
        #expect(harness.push.facts.streamLimit == 1000)
        harness[":path"] = "/1/apps"
        _ = try harness.judge()
        #expect(harness.push.facts.streamLimit == 1)
        #expect(harness.push.facts.refusals == 1)
    }
}
