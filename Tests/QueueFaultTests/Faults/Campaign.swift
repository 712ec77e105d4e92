import Foundation
import PushQueue
import PushSimulator
import QueueTestSupport

extension QueueFaultMatrix {
    /// A large campaign on a bad day.
    static let campaign = QueueFaultChapter(
        title: "A large campaign",
        remark: """
            Entries of 256 tokens. The links get a GOAWAY and are cut, five times each. What was written to a link that was \
            cut is unknown. A full run has a million tokens (`SUPERVISED_PUSH_QUEUE_TOKENS`).
            """,
        faults: [large])

    private static let large = QueueFault(
        name: "GOAWAYs and cut links", stores: [.redis], put: tokens,
        expected: .init(delivered: .some(atMost: tokens), unknown: .some(atMost: 11 * 1_000)),
        ledger: .init(distinctKeys: 4 * tokens, records: 0)
    ) { stage in
        stage.apples[0].delayAnswers(by: .fixed(.milliseconds(20)))
        try await stage.put(tokens, perEntry: 256)
        let program = try await stage.program(at: 0)
        var early = 0
        for step in 1...10 {
            try await stage.pushes(tokens / 11 * step, at: 0)
            if step == 2 { early = program.residentBytes ?? 0 }
            let links = stage.apples[0].ledger.snapshot.handshakes
            if step % 2 == 0 { await stage.apples[0].cutConnections() } else { stage.apples[0].goAway() }
            try await stage.handshakes(links + 1, at: 0)
        }
        try await stage.rows(tokens)
        let late = program.residentBytes ?? .max
        try stage.prove("ten more links", stage.apples[0].ledger.snapshot.handshakes > 10)
        // So much comes and goes by itself.
        try stage.prove("the worker's memory is flat", early > 0 && late < early + early / 4 + 16 << 20)
        program.signal(SIGTERM)
        try stage.prove("it ended in order", program.end() == 143)
    }
}
