import PushCampaign
import PushTerminal
import SupervisedPush

/// The pushes of a bench, by number: one notification, to device tokens in turn.
struct BenchWork: Sendable {
    private static let madeUp = 1_000
    /// Some 250,000 tokens of 64 digits.
    private static let mostBytes = 1 << 24

    let tokens: [DeviceToken]
    let notification: PushNotification

    init(_ options: BenchOptions) throws(CommandError) {
        do {
            if let path = options.tokens {
                tokens = try Self.tokens(
                    InputFile.contents(of: path, limit: Self.mostBytes), name: path == "-" ? "standard input" : path)
            } else {
                tokens = try (1...Self.madeUp).map { try DeviceToken(Self.madeUpToken($0)) }
            }
            notification =
                if let payload = options.payload {
                    try .raw(PayloadFile.contents(of: payload))
                } else {
                    .alert(title: "Bench", body: "One of many pushes of the same size.", sound: "default")
                }
        } catch let error as CommandError {
            throw error
        } catch {
            throw .input("\(error)")
        }
    }

    func token(_ number: Int) -> DeviceToken { tokens[number % tokens.count] }

    /// A line for each token, as in a CSV file: what comes after a comma is not looked at, and a first line `token` is a header.
    static func tokens(_ bytes: [UInt8], name: String) throws(CommandError) -> [DeviceToken] {
        var tokens: [DeviceToken] = []
        for (index, line) in bytes.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).enumerated() {
            let cell = line.prefix { $0 != ASCII.comma }.filter { $0 != ASCII.carriageReturn && $0 != ASCII.space }
            let text = String(decoding: cell, as: UTF8.self)
            if text.isEmpty || (index == 0 && text == "token") { continue }
            do { tokens.append(try DeviceToken(text)) } catch {
                throw .input("\(name), line \(index + 1): \(error)")
            }
        }
        guard !tokens.isEmpty else { throw .input("\(name) has no device token; it must have one on each line") }
        return tokens
    }

    /// 64 digits that no device has, and that are no special token of the simulator.
    private static func madeUpToken(_ number: Int) -> String {
        let digits = String(UInt64(number) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
        return String(repeating: String(repeating: "0", count: 16 - digits.count) + digits, count: 4)
    }
}
