import PushCampaign
import PushQueue
import PushTerminal
import SupervisedPush

/// `queue put --dry-run`: the request of the first push, and how much would be put.
///
/// The worker decides what is not in the entry: the host, the credential, and the topic of a record without one.
struct PutDryRun {
    /// The fields that the worker's connection makes.
    private static let byWorker: Set<String> = [":authority", "authorization", "apns-id"]

    private let path: String
    private let fields: [RequestHeaders.Field]
    private let body: [UInt8]

    /// Nil for a push that could not be sent.
    init?(_ group: EntryGrouping.Group) {
        guard let token = group.tokens.first,
            let request = try? group.notification.request(to: token, withProviderToken: false)
        else { return nil }
        path = request.path
        fields = request.headers.fields.filter { !Self.byWorker.contains($0.name) }
        body = request.body
    }

    func bytes(asJSON: Bool) -> [UInt8] { asJSON ? json : Array(text.utf8) }

    private var text: String {
        let lines = fields.map { "\($0.name): \($0.value)\n" }.joined()
        return "path      \(path)\nbytes     \(body.count)\n\n\(lines)\n\(String(decoding: body, as: UTF8.self))\n\n"
    }

    private var json: [UInt8] {
        var object = JSONLine()
        object.add("path", path)
        object.add("bytes", body.count)
        object.add(
            "headers",
            fields.map { field in
                var line = JSONLine()
                line.add("name", field.name)
                line.add("value", field.value)
                return line
            })
        // It is JSON already. In JSON, a line break separates tokens, and a space does the same.
        let payload = body.map { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn ? ASCII.space : $0 }
        var line = object.line
        line.removeLast(2)
        line += #","payload":"#.utf8
        line += payload
        line += "}\n".utf8
        return line
    }
}
