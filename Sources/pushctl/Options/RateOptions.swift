import ArgumentParser
import PushQueue

/// A number of pushes a second: `500`, `500/s`, `0.5`.
struct PushesPerSecond: ExpressibleByArgument, Equatable, Sendable {
    static let range = 0.001...10_000_000.0
    let value: Double

    /// Nil if it is not such a number. Digits with at most one period: no sign, no exponent.
    init?(argument: String) {
        let digits = argument.hasSuffix("/s") ? argument.dropLast(2) : argument[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
            let value = Double(digits), Self.range.contains(value)
        else { return nil }
        self.value = value
    }
}

/// How fast all workers of a queue push together.
struct RateSetting: Equatable, Sendable {
    static let bursts = 1...1_000_000

    let perSecond: PushesPerSecond?
    let burst: Int?

    /// - Throws: A sentence about what is wrong with them.
    func check(_ rateName: String, _ burstName: String) throws {
        guard let burst else { return }
        guard perSecond != nil else { throw ValidationError("\(burstName) goes with \(rateName).") }
        guard Self.bursts.contains(burst) else {
            throw ValidationError("\(burstName) \(burst) is out of range; give 1 to 1000000 pushes.")
        }
    }

    var rate: QueueRate? { perSecond.map { QueueRate(perSecond: $0.value, burst: burst) } }
}
