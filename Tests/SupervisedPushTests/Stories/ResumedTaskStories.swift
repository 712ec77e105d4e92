import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Tasks whose pushes were answered together are resumed together.
@Suite(.timeLimit(.minutes(2))) struct ResumedTaskStories {
    @Test(arguments: [15, 16, 100]) func eachHasItsAnswerAndPushesAgain(_ count: Int) async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.certificateConfig)
        try await stage.runtime.connection(named: "orders").waitUntilUp()
        stage.apple.holdAnswers()
        let answered = try await withThrowingTaskGroup(of: [DeviceToken].self) { group in
            for number in 0..<count {
                group.addTask { [runtime = stage.runtime] in
                    var answered: [DeviceToken] = []
                    for token in [Samples.token(number), Samples.token(count + number)] {
                        let answer = try await runtime.push(
                            name: "orders", Samples.flight, to: token, context: token.hex)
                        if answer.isAccepted, answer.context as? String == token.hex { answered.append(token) }
                    }
                    return answered
                }
            }
            #expect(await stage.apple.ledger.wait { $0.pushes == count })
            stage.apple.releaseAnswers()
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(answered) == Set((0..<2 * count).map { Samples.token($0) }) && answered.count == 2 * count)
        #expect(stage.apple.ledger.snapshot.accepted == 2 * count)
        await stage.end()
    }

    @Test func aClosingConnectionResumesAllThatWait() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.certificateConfig)
        try await stage.runtime.connection(named: "orders").waitUntilUp()
        stage.apple.holdAnswers()
        let errors = await withTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                group.addTask { [runtime = stage.runtime] in
                    do throws(PushError) {
                        _ = try await runtime.push(name: "orders", Samples.flight, to: Samples.token(number))
                        return "answered"
                    } catch {
                        return "\(error.code) \(error.certainty)"
                    }
                }
            }
            #expect(await stage.apple.ledger.wait { $0.pushes == 100 })
            _ = try? await stage.runtime.close(name: "orders", within: .zero)
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors == Array(repeating: "closed unknown", count: 100))
        await stage.end()
    }
}
