import Dispatch
import PushLocking
import Testing

@Suite struct HandOverTests {
    private final class Content: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    /// Under Thread Sanitizer a plain continuation is reported here.
    @Test func anObjectMadeOnAnotherThreadMayBeReadByTheTask() async {
        let queue = DispatchQueue(label: "maker", target: .global(qos: .userInteractive))
        var sum = 0
        for number in 0..<10_000 {
            let content = await withHandOver(of: Content.self) { handOver in
                queue.async { handOver.resume(returning: Content(number)) }
            }
            sum += content.number
        }
        #expect(sum == 49_995_000)
    }

    @Test func aValueThatIsThereAtOnceNeedsNoOtherThread() async {
        #expect(await withHandOver { $0.resume(returning: 7) } == 7)
    }
}
