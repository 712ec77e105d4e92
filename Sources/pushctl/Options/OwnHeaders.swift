import ArgumentParser
import SupervisedPush

/// The flag for header fields that have none: of one push, of a broadcast, or of all pushes of a campaign.
struct OwnHeaders: ParsableArguments {
    @Option(
        name: .customLong("header"),
        help: ArgumentHelp(
            "A header field that has no flag; may be repeated.", valueName: "name: value"))
    var fields: [String] = []

    init() {}

    mutating func validate() throws {
        // An error shows the text before the colon; without a colon, the text may be all value.
        guard fields.allSatisfy({ $0.dropFirst().contains(":") }) else {
            throw ValidationError("--header has no colon after its name; give --header 'name: value'.")
        }
        if let problem = headers.problem { throw ValidationError("--header: \(problem)") }
    }

    /// The fields, without spaces around their values.
    var headers: RequestHeaders {
        RequestHeaders(
            fields.map { field in
                // A pseudo-header field begins with a colon.
                let colon = field.dropFirst().firstIndex(of: ":") ?? field.endIndex
                let value = field[colon...].dropFirst().drop { $0 == " " || $0 == "\t" }
                let end = value.lastIndex { $0 != " " && $0 != "\t" }.map { value.index(after: $0) } ?? value.startIndex
                return (String(field[..<colon]), String(value[..<end]))
            })
    }

    /// Sets the fields in place of others of the same names.
    func set(_ headers: inout RequestHeaders) {
        let own = self.headers.fields
        for name in Set(own.map(\.name)) { headers[name] = nil }
        for field in own { headers.append(name: field.name, value: field.value) }
    }
}
