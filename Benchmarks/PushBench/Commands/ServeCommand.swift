import ArgumentParser
import FoundationEssentials

/// `PushBench serve`: the server that costs so little that the client is the limit.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Answer every push with 200, and check nothing.")

    @Option(help: "The port to listen on.")
    var port: Int

    @Option(help: "The server's certificate, a PEM file.")
    var certificate: String

    @Option(help: "Its key, a PEM file.")
    var privateKey: String

    @Option(help: "How many body bytes a connection takes before they are given back, 65535 or more.")
    var window: UInt32 = 1 << 30

    func run() async throws {
        let server = try FastServer(
            port: port, window: window, certificate: Array(Data(contentsOf: URL(fileURLWithPath: certificate))),
            key: Array(Data(contentsOf: URL(fileURLWithPath: privateKey))))
        // Until it is killed.
        while !Task.isCancelled { try await Task.sleep(for: .seconds(3_600)) }
        withExtendedLifetime(server) {}
    }
}
