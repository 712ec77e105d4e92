import PushInspection
import PushTerminal

/// What `pushctl inbox` prints: where everything is, and what to try.
struct InboxGreeting {
    let inbox: String
    let needsToken: Bool
    /// The variables of a program that runs against the simulator.
    let variables: [(name: String, value: String)]

    private func value(_ name: String) -> String { variables.first { $0.name == name }?.value ?? "" }

    var text: String {
        let style = TerminalStyle.standardOutput
        let (host, port) = (value("PUSHCTL_SIMULATOR_HOST"), value("PUSHCTL_SIMULATOR_PORT"))
        let address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let pairs = variables.map { "  export \($0.name)=\(Quoting.shell($0.value))" }
        let lines = [
            "Inbox  \(style.paint(inbox, in: .good))" + (needsToken ? "  (it asks for the token)" : ""),
            "APNs   https://\(address)", "",
            "For your program, and for pushctl:", pairs.joined(separator: "\n"), "",
            "Try it in a shell that has these:",
            "  pushctl send aabb --title Hello --body 'From pushctl'",
            #"  curl --http2 --cacert "$PUSHCTL_SIMULATOR_TRUST_ROOTS" -H "authorization: bearer $(pushctl token)" \"#,
            #"    -H "apns-topic: $PUSHCTL_SIMULATOR_TOPIC" -d '{"aps":{"alert":"From curl"}}' \"#,
            "    https://\(address)/3/device/aabb", "",
        ]
        return lines.joined(separator: "\n")
    }
}
