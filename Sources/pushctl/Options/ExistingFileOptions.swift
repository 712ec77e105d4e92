import ArgumentParser

/// What to do if a file to write exists already.
package struct ExistingFileOptions: ParsableArguments {
    @Flag(help: "Append to an existing file.")
    package var append = false

    @Flag(help: "Replace an existing file.")
    package var overwrite = false

    package init() {}

    package var policy: OutputRequest.Policy { append ? .append : overwrite ? .overwrite : .refuse }

    package mutating func validate() throws {
        guard !append || !overwrite else {
            throw ValidationError("--append and --overwrite exclude each other; give one.")
        }
    }

    /// - Parameter path: The file that `flag` names; nil if none is written.
    func check(_ flag: String, _ path: String?) throws {
        guard path == nil, append || overwrite else { return }
        throw ValidationError("\(append ? "--append" : "--overwrite") goes with \(flag) FILE.")
    }
}
