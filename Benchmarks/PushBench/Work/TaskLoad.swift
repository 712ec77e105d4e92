import SupervisedPush

/// Keeps a number of pushes in flight: as many tasks, each pushing its share one after the other.
struct TaskLoad: Sendable {
    private let target: LoadTarget

    init(_ target: LoadTarget) { self.target = target }

    func run(_ count: Int, inFlight: Int) async -> Tally {
        let lanes = max(1, min(count, inFlight))
        return await withTaskGroup(of: Tally.self) { group in
            for lane in 0..<lanes { group.addTask { await push(stride(from: lane, to: count, by: lanes)) } }
            return await group.reduce(Tally(), +)
        }
    }

    private func push(_ numbers: StrideTo<Int>) async -> Tally {
        var tally = Tally()
        for number in numbers {
            do throws(PushError) {
                let response = try await target.runtime.push(
                    name: target.name, target.work.notification(number), to: target.work.token(number))
                tally.note(.success(response))
            } catch {
                tally.note(.failure(error))
            }
        }
        return tally
    }
}
