import PushLocking
import SupervisedPush

/// Keeps a number of pushes in flight: as many threads, each pushing its share one after the other.
struct ThreadLoad: Sendable {
    private let target: LoadTarget

    init(_ target: LoadTarget) { self.target = target }

    func run(_ count: Int, inFlight: Int) async -> Tally {
        let lanes = max(1, min(count, inFlight))
        let open = Locked((lanes: lanes, tally: Tally()))
        return await withCheckedContinuation { continuation in
            for lane in 0..<lanes {
                DetachedThread.start {
                    let own = push(stride(from: lane, to: count, by: lanes))
                    let total = open.withLock { open -> Tally? in
                        open.tally = open.tally + own
                        open.lanes -= 1
                        return open.lanes == 0 ? open.tally : nil
                    }
                    if let total { continuation.resume(returning: total) }
                }
            }
        }
    }

    private func push(_ numbers: StrideTo<Int>) -> Tally {
        var tally = Tally()
        guard let connection = try? target.runtime.connection(named: target.name) else { return tally }
        for number in numbers {
            do throws(PushError) {
                let response = try connection.pushBlocking(
                    target.work.notification(number), to: target.work.token(number))
                tally.note(.success(response))
            } catch {
                tally.note(.failure(error))
            }
        }
        return tally
    }
}
