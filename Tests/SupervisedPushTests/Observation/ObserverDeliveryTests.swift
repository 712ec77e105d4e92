import Dispatch
import Testing

@testable import SupervisedPush

@Suite(.timeLimit(.minutes(5))) struct ObserverDeliveryTests {
    /// Stands still in its first call until it is told to go on.
    private struct SlowObserver: ConnectionObserver {
        let recorded = RecordingObserver()
        let gate = DispatchSemaphore(value: 0)

        func linkDialed(_ connection: ObservedConnection, link: Int) {
            recorded.linkDialed(connection, link: link)
            if link == 1 { gate.wait() }
        }

        func factsDropped(_ connection: ObservedConnection, count: Int) {
            recorded.factsDropped(connection, count: count)
        }
    }

    @Test func anObserverThatIsTooSlowLosesTheNewestFactsAndIsToldHowMany() async {
        let observer = SlowObserver()
        let delivery = ObserverDelivery(observer, name: "orders")
        let pid = ProcessID(7)
        delivery.post(pid) { $0.linkDialed($1, link: 1) }
        #expect(await observer.recorded.facts(through: "dialed") == ["dialed 1"])
        for link in 2...1_501 { delivery.post(pid) { $0.linkDialed($1, link: link) } }
        observer.gate.signal()
        let facts = await observer.recorded.facts(through: "dropped")
        #expect(facts.count == 1_001 && facts[999] == "dialed 1001" && facts.last == "dropped 500")
        delivery.post(pid) { $0.linkDialed($1, link: 2_000) }
        delivery.close()
        #expect(await observer.recorded.facts(through: "dialed") == ["dialed 2000"])
    }

    @Test func aFunctionThatIsNotWrittenDoesNothing() {
        struct Indifferent: ConnectionObserver {}
        let observer = Indifferent()
        let orders = ObservedConnection(name: "orders", pid: ProcessID(7))
        observer.processStarted(orders, restarts: 0)
        observer.linkLost(orders, link: 1, cause: LinkFailure(.socket, "cut"))
        observer.givenUp(orders)
        #expect("\(orders)" == "orders <7>" && "\(ObservedConnection(name: nil, pid: ProcessID(7)))" == "<7>")
    }
}
