import PushCampaign
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

/// What a worker says of its queues from time to time, and at its end.
@Suite struct QueueFiguresTests {
    @Test func aQueueWithoutNewsHasNoLine() {
        var progress = QueueProgress()
        var figures = QueueFigures()
        #expect(progress.line(figures, of: "orders", at: 10) == nil)
        (figures.waiting, figures.taken, figures.inFlight, figures.delivered) = (1_200, 2, 30, 4_000)
        let line = progress.line(figures, of: "orders", at: 20)
        #expect(
            line?.text
                == "pushctl: orders: 1,200 waiting, 2 taken, 30 in flight, 4,000 delivered, 0 rejected, 0 failed,"
                + " 0 unknown, 400/s")
        #expect(line?.level == .info && line?.fields.last == .init("rate", .number(400)))
        #expect(progress.line(figures, of: "orders", at: 30) == nil)
        figures.rejected = 5
        // The rate is that of the last ten seconds, and not since the last line.
        #expect(progress.line(figures, of: "orders", at: 40)?.fields.last == .init("rate", .number(0.5)))
    }

    @Test func aQueueThatDoesNotAnswerHasNoCount() {
        var progress = QueueProgress()
        var figures = QueueFigures()
        figures.waiting = nil
        let line = progress.line(figures, of: "orders", at: 10)
        #expect(line?.text.hasPrefix("pushctl: orders: – waiting, 0 taken") == true)
        #expect(line?.fields.first == .init("waiting", .count(nil)))
    }

    @Test func aSuspendedQueueIsAWarning() {
        var figures = QueueFigures()
        figures.state = "suspended: APNs refuses the credential"
        let line = figures.line(of: "news", rate: 0)
        #expect(line.text.hasPrefix("pushctl: news: suspended: APNs refuses the credential; 0 waiting"))
        figures.isWorking = false
        let short = figures.line(of: "news", rate: 0)
        #expect(short.text == "pushctl: news: suspended: APNs refuses the credential")
        #expect(line.level == .warning && short.level == .warning && short.fields.isEmpty)
        figures = QueueFigures()
        figures.state = QueueFigures.paused
        #expect(figures.line(of: "news", rate: 0).level == .info)
    }

    @Test func totalsNameEachQueue() {
        var (orders, news) = (Tally(), Tally())
        orders.count(.delivered, times: 300)
        news.count(.rejected, reason: "BadTopic", times: 2)
        let summary = Summary(orders.adding(news), seconds: 2, of: "tokens")
        let totals = WorkerTotals(summary: summary, queues: [("news", news), ("orders", orders)])
        #expect(
            String(decoding: totals.json, as: UTF8.self).hasSuffix(
                #""seconds":2.000,"queues":[{"queue":"news","tokens":2,"delivered":0,"rejected":2,"failed":0,"unknown":0,"#
                    + #""rejected_reasons":{"BadTopic":2}},"#
                    + #"{"queue":"orders","tokens":300,"delivered":300,"rejected":0,"failed":0,"unknown":0}]}"# + "\n"))
        let lines = totals.text(.plain).split(separator: "\n").suffix(2)
        #expect(lines == ["news         2  2 rejected (BadTopic 2)", "orders     300  300 delivered"])
        #expect(WorkerTotals(summary: summary, queues: []).json == summary.json)
    }
}
