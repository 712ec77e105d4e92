import ArgumentParser

package enum InputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case csv
    case ndjson

    /// What a file's name says; CSV where it says nothing.
    package init(fileName: String) {
        let name = fileName.lowercased()
        self = name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") ? .ndjson : .csv
    }
}
