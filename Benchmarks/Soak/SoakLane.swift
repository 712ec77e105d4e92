import PushLocking
import SupervisedPush

/// One connection under load: it keeps a number of pushes under way and writes down how each ended.
final class SoakLane: Sendable {
    struct Book {
        var pushed = 0
        var ended = BitSet()
        var delivered = BitSet()
        var rejected = BitSet()
        /// Certainly not processed.
        var spared = BitSet()
        var unknown = 0
        var endedTwice = 0
        /// By code and certainty.
        var errors: [String: Int] = [:]
        var cancelled = 0
    }

    private struct State {
        var book = Book()
        /// Pushes that may be made now.
        var credit = 0
        var isPushing = false
        var isOver = false
    }

    let name: String
    private let number: Int
    private let runtime: PushRuntime
    private let state = Locked(State())
    /// One push in this many is cancelled at once.
    private static let cancelled = 509

    init(_ number: Int, _ runtime: PushRuntime) {
        self.number = number
        self.runtime = runtime
        name = "lane \(number)"
    }

    var book: Book { state.withLock { $0.book } }

    func start(window: Int) {
        state.withLock {
            $0.credit = window
            $0.isPushing = true
        }
        push()
    }

    /// No more pushes; those under way still end.
    func stop() { state.withLock { $0.isOver = true } }

    /// Makes the pushes that may be made: one caller at a time, so that a push that ends at once does not call deeper and
    /// deeper.
    private func push() {
        while true {
            let sequence = state.withLock { state -> Int? in
                guard !state.isOver, state.credit > 0 else {
                    state.isPushing = false
                    return nil
                }
                state.credit -= 1
                defer { state.book.pushed += 1 }
                return state.book.pushed
            }
            guard let sequence else { return }
            push(sequence)
        }
    }

    private func push(_ sequence: Int) {
        let mark = PushMark(connection: number, sequence: sequence)
        guard let token = try? mark.deviceToken() else { return }
        var notification = Self.notification
        // Half of the connections say their apns-ids themselves.
        if number.isMultiple(of: 2) { notification.apnsID = .fixed(mark.apnsID) }
        // On two of three connections waiting has no timeout, so that an interruption pauses them.
        let options = PushOptions(timeoutStart: number.isMultiple(of: 3) ? .call : .write)
        let handle = runtime.push(name: name, notification, to: token, options: options) { [self] outcome in
            note(sequence, outcome)
            if state.withLock({ credited(&$0) }) { push() }
        }
        if sequence % Self.cancelled == Self.cancelled - 1 { handle.cancel() }
    }

    /// True if the caller must push, because no other one does.
    private func credited(_ state: inout State) -> Bool {
        state.credit += 1
        guard !state.isPushing else { return false }
        state.isPushing = true
        return true
    }

    private func note(_ sequence: Int, _ outcome: Result<PushResponse, PushError>) {
        state.withLock { state in
            if !state.book.ended.insert(sequence) { state.book.endedTwice += 1 }
            switch outcome {
            case .success(let response) where response.isAccepted: _ = state.book.delivered.insert(sequence)
            case .success: _ = state.book.rejected.insert(sequence)
            case .failure(let error):
                state.book.errors["\(error.code) \(error.certainty.rawValue)", default: 0] += 1
                if error.certainty == .unknown {
                    state.book.unknown += 1
                } else {
                    _ = state.book.spared.insert(sequence)
                }
            }
        }
    }

    private static let notification = PushNotification.alert(title: "Flight A998", body: "Boarding at gate 12")
}
