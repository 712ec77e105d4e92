import ArgumentParser
import SupervisedPush

/// Header fields of the caller's own, and a look at the request; the same for a push to a device and for a broadcast.
package struct HeaderOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "A header field of your own, for what has no flag; may be repeated.", valueName: "name: value"))
    package var fields: [String] = []

    @Flag(help: "Check the request and print it, with the provider token left out; send nothing and use no network.")
    package var dryRun = false

    package init() {}

    package mutating func validate() throws {
        // What an error shows is what stands before the colon: without one the text may be all value.
        guard fields.allSatisfy({ $0.dropFirst().contains(":") }) else {
            throw ValidationError("--header has no colon behind its name; give --header 'name: value'.")
        }
        if let problem = headers.problem { throw ValidationError("--header: \(problem)") }
    }

    /// The fields, with the blanks around their values taken off.
    package var headers: RequestHeaders {
        RequestHeaders(
            fields.map { field in
                // A pseudo-header field begins with a colon.
                let colon = field.dropFirst().firstIndex(of: ":") ?? field.endIndex
                let value = field[colon...].dropFirst().drop { $0 == " " || $0 == "\t" }
                let end = value.lastIndex { $0 != " " && $0 != "\t" }.map { value.index(after: $0) } ?? value.startIndex
                return (String(field[..<colon]), String(value[..<end]))
            })
    }
}
