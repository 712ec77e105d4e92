import CoreMetrics
import PushPrometheus
import Testing

@Suite struct PrometheusTests {
    private let factory = PrometheusFactory(help: ["pushes_total": "Pushes \\ of\nall."])

    @Test func aCounterIsWrittenWithItsLabels() {
        let accepted = factory.makeCounter(label: "pushes_total", dimensions: [("outcome", "accepted")])
        let rejected = factory.makeCounter(label: "pushes_total", dimensions: [("outcome", "re\"j\\e\ncted")])
        accepted.increment(by: 2)
        factory.makeCounter(label: "pushes_total", dimensions: [("outcome", "accepted")]).increment(by: 3)
        rejected.increment(by: 1)
        #expect(
            factory.text() == """
                # HELP pushes_total Pushes \\\\ of\\nall.
                # TYPE pushes_total counter
                pushes_total{outcome="accepted"} 5
                pushes_total{outcome="re\\"j\\\\e\\ncted"} 1

                """)
    }

    @Test func aGaugeHasItsLatestValue() {
        let gauge = factory.makeRecorder(label: "rtt seconds", dimensions: [], aggregate: false)
        gauge.record(Int64(3))
        gauge.record(0.25)
        #expect(factory.text() == "# TYPE rtt_seconds gauge\nrtt_seconds 0.25\n")
    }

    @Test func aTimerIsAHistogramWhoseBucketsContainTheSmallerOnes() {
        let timer = factory.makeTimer(label: "took_seconds", dimensions: [("connection", "orders")])
        for milliseconds: Int64 in [5, 6, 800, 120_000] { timer.recordNanoseconds(milliseconds * 1_000_000) }
        let lines = factory.text().split(separator: "\n")
        #expect(lines.first == "# TYPE took_seconds histogram")
        #expect(lines.contains(#"took_seconds_bucket{connection="orders",le="0.005"} 1"#))
        #expect(lines.contains(#"took_seconds_bucket{connection="orders",le="0.01"} 2"#))
        #expect(lines.contains(#"took_seconds_bucket{connection="orders",le="1"} 3"#))
        #expect(lines.contains(#"took_seconds_bucket{connection="orders",le="60"} 3"#))
        #expect(
            lines.suffix(3) == [
                #"took_seconds_bucket{connection="orders",le="+Inf"} 4"#,
                #"took_seconds_sum{connection="orders"} 120.811"#, #"took_seconds_count{connection="orders"} 4"#,
            ])
    }

    @Test func samplesThatAreReadNowStandBehindTheOthers() {
        factory.makeCounter(label: "z_total", dimensions: []).increment(by: 1)
        let samples = [
            PrometheusSample("b", labels: [("queue", "orders")], 1), PrometheusSample("a", -1.5),
            PrometheusSample("b", labels: [("queue", "bulk")], .infinity),
        ]
        #expect(
            factory.text(adding: samples) == """
                # TYPE z_total counter
                z_total 1
                # TYPE a gauge
                a -1.5
                # TYPE b gauge
                b{queue="orders"} 1
                b{queue="bulk"} +Inf

                """)
    }

    @Test func seriesBeyondTheLimitAreLeftOutAndCounted() {
        for number in 0...PrometheusFactory.most {
            factory.makeCounter(label: "reasons_total", dimensions: [("reason", "\(number)")]).increment(by: 1)
        }
        // The same name as another kind of metric would be no text that Prometheus reads.
        factory.makeTimer(label: "reasons_total", dimensions: []).recordNanoseconds(1)
        let lines = factory.text().split(separator: "\n")
        #expect(lines.count(where: { $0.hasPrefix("reasons_total") }) == PrometheusFactory.most)
        #expect(lines.last == "supervised_push_metrics_left_out 2")
    }
}
