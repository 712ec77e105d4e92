import ArgumentParser

/// What becomes of a file that is to be written and is there already.
package struct ExistingFileOptions: ParsableArguments {
    @Flag(help: "Add to a file that is there already.")
    package var append = false

    @Flag(help: "Replace a file that is there already.")
    package var overwrite = false

    package init() {}

    package var policy: OutputRequest.Policy { append ? .append : overwrite ? .overwrite : .refuse }

    package mutating func validate() throws {
        guard !append || !overwrite else {
            throw ValidationError("--append and --overwrite exclude each other; give one.")
        }
    }

    /// - Parameter path: The file that `flag` names; nil where none is written.
    func check(_ flag: String, _ path: String?) throws {
        guard path == nil, append || overwrite else { return }
        throw ValidationError("\(append ? "--append" : "--overwrite") goes with \(flag) FILE.")
    }
}
