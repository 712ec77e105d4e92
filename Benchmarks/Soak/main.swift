import Foundation

// Soak: both ledgers must agree after much trouble.
//
//   Soak [SECONDS [SEED]]      ten minutes and seed 1 by default
//   Soak outage [PUSHES]       a million pushes offered while the server is down, then it returns
//
// Exit code 1 if something is wrong. The soak's simulator runs in a process of its own, so that memory, threads and
// descriptors are the client's alone.
func fail() -> Never {
    print("usage: Soak [SECONDS [SEED]] | Soak outage [PUSHES]")
    exit(64)
}

func number(_ text: String?, or standard: Int) -> Int {
    guard let text else { return standard }
    guard let number = Int(text), number > 0 else { fail() }
    return number
}

var arguments = CommandLine.arguments.dropFirst()
let isWell: Bool
switch arguments.first {
case "--server":
    arguments = arguments.dropFirst()
    let connections = number(arguments.popFirst(), or: 1)
    try SoakServer(connections: connections, seed: UInt64(number(arguments.popFirst(), or: 1))).run()
    isWell = true
case "outage":
    arguments = arguments.dropFirst()
    let pushes = number(arguments.popFirst(), or: 1_000_000)
    guard arguments.isEmpty else { fail() }
    isWell = try await Outage(pushes: pushes).run()
default:
    let seconds = number(arguments.popFirst(), or: 600)
    let seed = UInt64(number(arguments.popFirst(), or: 1))
    guard arguments.isEmpty else { fail() }
    isWell = try await SoakClient(seconds: seconds, seed: seed).run()
}
exit(isWell ? 0 : 1)
