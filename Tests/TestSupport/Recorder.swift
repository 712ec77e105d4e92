import PushLocking

/// What happened, in order, on whatever thread; a test waits for it without polling.
package final class Recorder<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiters: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        var lastWaiter = 0
    }

    private let state = Locked(State())

    package init() {}

    /// Everything recorded up to now.
    package var all: [Element] { state.withLock(\.elements) }
    package var count: Int { state.withLock { $0.elements.count } }

    package func record(_ element: Element) { record([element]) }

    package func record(_ elements: [Element]) {
        let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.elements += elements
            let reached = state.waiters.filter { $0.value.count <= state.elements.count }
            for number in reached.keys { state.waiters[number] = nil }
            return reached.values.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    /// Returns once this many were recorded, or once the task is cancelled: a test whose time is over must not hold up the others.
    package func wait(for count: Int) async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReached = state.withLock { state in
                    if state.elements.count >= count || Task.isCancelled { return true }
                    state.waiters[number] = (count, continuation)
                    return false
                }
                if isReached { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
    }
}
