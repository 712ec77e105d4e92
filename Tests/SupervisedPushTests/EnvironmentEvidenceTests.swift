import Testing

@testable import SupervisedPush

@Suite struct EnvironmentEvidenceTests {
    @Test func nothingIsProvenAtFirst() {
        var evidence = EnvironmentEvidence()
        #expect(evidence.suspects("a") && evidence.suspects(nil))
        // 403, 429 or BadDeviceToken prove nothing.
        evidence.count(others: 1_000, isBad: true)
        #expect(evidence.suspects("a"))
    }

    @Test func aProofIsForItsTopic() {
        var evidence = EnvironmentEvidence()
        evidence.prove("a")
        #expect(!evidence.suspects("a") && evidence.suspects("b") && evidence.suspects(nil))
        evidence.prove(nil)
        #expect(!evidence.suspects(nil))
    }

    @Test func aProofDoesNotOutweighTheShare() {
        var evidence = EnvironmentEvidence()
        evidence.prove("a")
        for _ in 0..<50 { evidence.count(others: 0, isBad: true) }
        #expect(evidence.suspects("a"))
        evidence.count(others: 51, isBad: false)
        #expect(!evidence.suspects("a"))
    }

    @Test func topicsAreBounded() {
        var evidence = EnvironmentEvidence()
        let topics = (0..<EnvironmentEvidence.mostTopics + 10).map { Topic(rawValue: "com.example.\($0)") }
        for topic in topics { evidence.prove(topic) }
        #expect(topics.count { !evidence.suspects($0) } == EnvironmentEvidence.mostTopics)
        #expect(!evidence.suspects(topics.last))
    }

    @Test func acceptedPushesAreCountedWhereTheyChangeSomething() {
        var share = EnvironmentSuspicion()
        #expect(share.countsOthers)
        share.countOthers(100)
        #expect(!share.countsOthers)
        share.countBad()
        #expect(share.countsOthers)
        share.countOthers(100)
        #expect(!share.countsOthers)
    }
}
