import ArgumentParser

/// A time on the command line: seconds, possibly with a fraction, at most a week.
package struct Seconds: ExpressibleByArgument, Equatable, Sendable {
    package static let longest = 604_800.0
    package let value: Double

    package init(_ value: Double) {
        self.value = value
    }

    package init?(argument: String) {
        // Only digits and a period: no hexadecimal, no exponent, no infinity.
        guard argument.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }),
            let value = Double(argument), (0...Self.longest).contains(value)
        else { return nil }
        self.value = value
    }

    package var duration: Duration { .seconds(value) }

    package var defaultValueDescription: String {
        value == value.rounded() ? String(Int(value)) : String(value)
    }
}
