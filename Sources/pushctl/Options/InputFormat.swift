import ArgumentParser

package enum InputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case csv
    case ndjson

    /// The format by the file's name; CSV if the name does not say.
    package init(fileName: String) {
        let name = fileName.lowercased()
        self = name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") ? .ndjson : .csv
    }
}
