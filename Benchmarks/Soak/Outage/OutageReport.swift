import Foundation

/// What was seen, and what of it is wrong.
struct OutageReport {
    private(set) var isWell = true

    func say(_ line: String) {
        print(line)
        // At once, also into a file.
        fflush(nil)
    }

    mutating func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        guard !holds else { return }
        isWell = false
        print("VIOLATION: not so: \(sentence())")
    }

    mutating func memory(_ what: String, _ growth: Int, _ most: Int) {
        say("  \(what): resident memory grew by \(growth) KiB (at most \(most))")
        require(growth <= most, "\(what): \(growth) KiB are at most \(most)")
    }
}
