import Foundation

// Soak: both ledgers must agree after much trouble.
//
//   Soak [SECONDS [SEED]]      ten minutes and seed 1 by default; exit code 1 if something is wrong
//
// The simulator runs in a process of its own, so that memory, threads and descriptors are the client's alone.
let arguments = Array(CommandLine.arguments.dropFirst())

if arguments.first == "--server", arguments.count == 3, let connections = Int(arguments[1]),
    let seed = UInt64(arguments[2])
{
    try SoakServer(connections: connections, seed: seed).run()
} else {
    let seconds = arguments.first.flatMap { Int($0) } ?? 600
    let seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? 1
    guard seconds > 0, arguments.allSatisfy({ UInt64($0) != nil }), arguments.count <= 2 else {
        print("usage: Soak [SECONDS [SEED]]")
        exit(64)
    }
    let isWell = try await SoakClient(seconds: seconds, seed: seed).run()
    exit(isWell ? 0 : 1)
}
