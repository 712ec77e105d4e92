import PushLocking
import SupervisedPush

/// The caller's account of a random life: how each push was called, and every end that its caller was told of.
final class OracleBook: Sendable {
    /// The five ways to push.
    enum Form: CaseIterable {
        case async, completion, blocking, fireAndForget, bulk
    }

    /// One push.
    struct Entry {
        let form: Form
        /// APNs may get it more than once, because its caller allowed a resend of what may have been processed.
        let mayRepeat: Bool
        /// It may go again after a 429, 500 or 503.
        let isRetried: Bool
        /// The device whose order it asks for, where that holds.
        var orderedDevice: Int?
        var outcomes: [Result<PushResponse, PushError>] = []
        var handedBack: [Certainty] = []
        /// The runtime never owned it: `send` threw, or the bulk ended before it took the push.
        var wasRefused = false

        var endedUnknown: Bool {
            if case .failure(let error)? = outcomes.first { error.certainty == .unknown } else { false }
        }
    }

    private struct State {
        var entries: [Entry] = []
        /// Pushes whose caller still waits.
        var pending = 0
        var strangers = 0
    }

    private let state = Locked(State())

    /// Enters pushes; their numbers.
    func add(_ count: Int, _ make: (Int) -> Entry) -> Range<Int> {
        state.withLock { state in
            let first = state.entries.count
            for number in first..<first + count {
                let entry = make(number)
                state.entries.append(entry)
                if entry.form != .fireAndForget { state.pending += 1 }
            }
            return first..<state.entries.count
        }
    }

    func ended(_ number: Int, _ outcome: Result<PushResponse, PushError>) {
        state.withLock { state in
            state.entries[number].outcomes.append(outcome)
            state.pending -= 1
        }
    }

    /// The push goes to a device whose order is kept.
    func order(_ number: Int, of device: Int) { state.withLock { $0.entries[number].orderedDevice = device } }

    /// The runtime does not own this fire-and-forget push.
    func refused(_ number: Int) { state.withLock { $0.entries[number].wasRefused = true } }

    /// A bulk is over: of what has no outcome it took nothing.
    func bulkEnded(_ numbers: Range<Int>) {
        state.withLock { state in
            for number in numbers where state.entries[number].outcomes.isEmpty {
                state.entries[number].wasRefused = true
                state.pending -= 1
            }
        }
    }

    func handedBack(_ handBack: HandBack) {
        state.withLock { state in
            let lists: [([Push], Certainty)] = [
                (handBack.notSent, .notSent), (handBack.unprocessed, .unprocessed), (handBack.unknown, .unknown),
            ]
            for (pushes, certainty) in lists {
                for push in pushes {
                    guard let number = push.context as? Int, state.entries.indices.contains(number) else {
                        state.strangers += 1
                        continue
                    }
                    state.entries[number].handedBack.append(certainty)
                }
            }
        }
    }

    var entries: [Entry] { state.withLock { $0.entries } }
    var pending: Int { state.withLock { $0.pending } }
    /// Pushes that were handed back and never called.
    var strangers: Int { state.withLock { $0.strangers } }
}
