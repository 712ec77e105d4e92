import ArgumentParser
import SupervisedPush

/// Additional header fields, and the dry run; the same for a push to a device and for a broadcast.
package struct HeaderOptions: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "A header field that has no flag; may be repeated.", valueName: "name: value"))
    package var fields: [String] = []

    @Flag(help: "Check the request and print it, with the provider token left out; send nothing and use no network.")
    package var dryRun = false

    package init() {}

    package mutating func validate() throws {
        // An error shows the text before the colon; without a colon, the text may be all value.
        guard fields.allSatisfy({ $0.dropFirst().contains(":") }) else {
            throw ValidationError("--header has no colon after its name; give --header 'name: value'.")
        }
        if let problem = headers.problem { throw ValidationError("--header: \(problem)") }
    }

    /// The fields, without spaces around their values.
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
