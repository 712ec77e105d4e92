import PushCampaign
import PushTerminal
import SupervisedPush

/// `--dry-run`: checks and prints the request of a push without sending it.
struct DryRun {
    private let endpoint: String
    private let request: PreparedRequest

    /// Also reads and checks the key or certificate. Needs no network.
    init(
        _ connection: ConnectionOptions, notification: PushNotification, to address: RequestAddress
    ) throws(CommandError) {
        try self.init(
            try connection.config(StandardErrorLog.logger { StandardError.write($0) }), notification: notification,
            to: address)
    }

    /// The same for a configuration.
    init(
        _ config: PushConnection.Configuration, notification: PushNotification, to address: RequestAddress
    ) throws(CommandError) {
        endpoint = "\(config.effectiveHost):\(config.port)"
        do { request = try config.request(notification, to: address) } catch let error as ConnectError {
            throw CommandError(error)
        } catch {
            throw CommandError(.rejectedOrFailed, "The push would be refused: \(error)")
        }
    }

    func report(isJSON: Bool) throws(CommandError) {
        try OutputFile.standardOutput.write(isJSON ? json : Array(text.utf8))
    }

    private var text: String {
        "endpoint  \(endpoint)\npath      \(request.path)\nbytes     \(request.body.count)\n\n\(request.text)"
    }

    private var json: [UInt8] {
        var object = JSONLine()
        object.add("endpoint", endpoint)
        object.add("path", request.path)
        object.add("bytes", request.body.count)
        // Both are JSON already. In JSON, a line break separates tokens, and a space does the same.
        let headers = request.headers.fields.map { field in
            var line = JSONLine()
            line.add("name", field.name)
            line.add("value", field.value)
            return line.line.dropLast()
        }
        let payload = request.body.map { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn ? ASCII.space : $0 }
        var bytes = object.line
        bytes.removeLast(2)
        bytes += #","headers":["#.utf8
        bytes += headers.joined(separator: [ASCII.comma])
        bytes += #"],"payload":"#.utf8
        bytes += payload
        bytes += "}\n".utf8
        return bytes
    }
}
