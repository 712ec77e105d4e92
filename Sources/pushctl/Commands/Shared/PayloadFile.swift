import PushCampaign
import PushTerminal
import SupervisedPush

/// The payload that `--payload` names.
enum PayloadFile {
    /// - Throws: Status 66 if it cannot be read, is empty or is not a JSON object; `-` is standard input.
    static func contents(of path: String) throws(CommandError) -> [UInt8] {
        let bytes = try InputFile.contents(of: path, limit: RecordReaders.longestRecord)
        let name = path == "-" ? "standard input" : path
        if bytes.isEmpty { throw .input("\(name) is empty; it must contain a JSON object") }
        if let problem = JSONScanner.problem(inObject: bytes) { throw .input("\(name): the payload \(problem)") }
        return bytes
    }
}
