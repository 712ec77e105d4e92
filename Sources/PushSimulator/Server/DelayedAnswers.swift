/// Answers that wait for their time.
struct DelayedAnswers {
    private struct Delayed {
        let answer: ProviderConnectionMachine.Answer
        let due: Int64
    }

    /// Latest first, so that the next one due is the last element.
    private var list: [Delayed] = []

    var count: Int { list.count }
    var nextDue: Int64? { list.last?.due }

    mutating func add(_ answer: ProviderConnectionMachine.Answer, due: Int64) {
        // Of two answers due at the same instant, that of the earlier push is sent first, so it must be nearer to the
        // end.
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if list[middle].due > due { low = middle + 1 } else { high = middle }
        }
        list.insert(Delayed(answer: answer, due: due), at: low)
    }

    mutating func takeNext(_ now: Int64) -> ProviderConnectionMachine.Answer? {
        guard let next = list.last, next.due <= now else { return nil }
        list.removeLast()
        return next.answer
    }

    mutating func remove(_ stream: Int32) { list.removeAll { $0.answer.stream == stream } }

    mutating func removeAll() { list.removeAll() }
}
