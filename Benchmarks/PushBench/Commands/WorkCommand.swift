import ArgumentParser
import FoundationEssentials
import SupervisedPush

/// `PushBench work`: writes the same work for others.
///
/// `payload.json`; `uris.txt`, a line for each device; `bearer.txt`, a provider token; `tokens.csv` for `pushctl bulk`.
struct WorkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "work", abstract: "Write the same payload, paths and provider token for other clients.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var work: WorkOptions

    @Option(help: "The folder to write to.")
    var directory: String

    @Option(help: "The number of rows of tokens.csv.")
    var rows = 0

    func run() throws {
        guard let token = try server.credential.makeProviderToken() else { throw BenchError("no provider token") }
        let devices = (1...max(1, work.devices)).map(Work.hex)
        let base = "https://\(server.host):\(server.port)/3/device/"
        try write("payload.json", Work.alert(gate: 12).payload.bytes)
        try write("uris.txt", Array(devices.map { base + $0 + "\n" }.joined().utf8))
        try write("bearer.txt", Array(token.jwt.utf8))
        guard rows > 0 else { return }
        var table = Array("token\n".utf8)
        for row in 0..<rows { table += Array("\(devices[row % devices.count])\n".utf8) }
        try write("tokens.csv", table)
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: directory).appendingPathComponent(name))
    }
}
