import PushQueue
import Testing

@Suite struct QueueRateTests {
    @Test(arguments: [
        (Double.nan, 0.001, 1), (-.infinity, 0.001, 1), (-5, 0.001, 1), (0, 0.001, 1), (2.5, 2.5, 3),
        (.infinity, 10_000_000, 1_000_000), (1e9, 10_000_000, 1_000_000),
    ])
    func aRateOutOfItsRangeIsMovedToTheNearerEnd(_ perSecond: Double, _ valid: Double, _ burst: Int) {
        let rate = QueueRate(perSecond: perSecond)
        #expect(rate.perSecond == valid && rate.burst == burst)
        #expect(QueueRate(perSecond: perSecond, burst: -1).burst == 1)
    }
}
