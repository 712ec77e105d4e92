import ArgumentParser

/// `N` or `N...M` connections.
package struct ConnectionCount: ExpressibleByArgument, Equatable, Sendable {
    package let range: ClosedRange<Int>

    package static let one = ConnectionCount(range: 1...1)
    package var defaultValueDescription: String { "1" }

    private init(range: ClosedRange<Int>) {
        self.range = range
    }

    package init?(argument: String) {
        let ends = argument.split(separator: ".", omittingEmptySubsequences: false)
        switch ends.count {
        case 1:
            guard let count = Int(argument), count > 0 else { return nil }
            range = count...count
        case 4 where ends[1].isEmpty && ends[2].isEmpty:
            guard let first = Int(ends[0]), let last = Int(ends[3]), 0 < first, first <= last else { return nil }
            range = first...last
        default:
            return nil
        }
    }
}
