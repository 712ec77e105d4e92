import ArgumentParser
import PushCampaign

/// What to do if a file to write exists already.
struct ExistingFileOptions: ParsableArguments {
    @Flag(help: "Append to an existing file.")
    var append = false

    @Flag(help: "Replace an existing file.")
    var overwrite = false

    /// What to do about an existing file, as the end of a sentence.
    static let remedy = "add --append or --overwrite, or name a new file"

    init() {}

    var policy: OutputRequest.Policy { append ? .append : overwrite ? .overwrite : .refuse }

    mutating func validate() throws {
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
