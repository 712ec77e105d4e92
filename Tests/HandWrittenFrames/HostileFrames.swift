package import ProcessRuntime

/// What a hostile server may say, made from a seed.
package enum HostileFrames {
    private typealias Hand = HandWritten

    /// A conversation that could have been: every frame well formed, in an order that a server could choose.
    package static func transcript(_ generator: inout SeededGenerator, streams: Int) -> [UInt8] {
        var begun: Set<Int> = []
        var last = streams * 2 - 1
        return (0..<Int.random(in: 5...30, using: &generator)).flatMap { _ -> [UInt8] in
            let stream = Int.random(in: 0..<streams, using: &generator) * 2 + 1
            switch Int.random(in: 0..<40, using: &generator) {
            case 0...15:
                begun.insert(stream)
                return answer(stream, &generator)
            case 16...25 where begun.contains(stream):
                return Hand.data(stream, body(&generator), end: .random(using: &generator))
            case 26...28: return Hand.reset(stream, Int.random(in: 0...13, using: &generator))
            case 29, 30: return Hand.settings([(3, Int.random(in: 0...10, using: &generator))])
            case 31, 32:
                return Hand.frame(.ping, flags: .random(in: 0...1, using: &generator), Array(repeating: 1, count: 8))
            case 33:
                last = min(last, stream)
                return Hand.goAway(last: last, Int.random(in: 0...13, using: &generator), data: body(&generator))
            case 34: return Hand.frame(type: .random(in: 10...255, using: &generator), generator.bytes(upTo: 50))
            default: return Hand.windowUpdate(stream, 1_000)
            }
        }
    }

    private static func answer(_ stream: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let status = generator.pick(["200", "200", "400", "410", "429", "103", "abc", "700"])
        var block = [UInt8]()
        block += Hand.block([(":status", status)])
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let name = generator.pick(["apns-id", "apns-unique-id", "content-length", "x", "retry-after", "connection"])
            let value = generator.pick(["", "5", "close", "\u{1}", String(repeating: "y", count: 300)])
            block += Bool.random(using: &generator) ? Hand.block([(name, value)]) : Hand.indexed(name, value)
        }
        let end = Bool.random(using: &generator) ? Hand.endStream : 0
        return Hand.frame(.headers, flags: Hand.endHeaders | end, stream: stream, block)
    }

    /// Frames of any type, flags, stream and content.
    package static func frames(_ generator: inout SeededGenerator, streams: Int) -> [UInt8] {
        (0..<Int.random(in: 1...20, using: &generator)).flatMap { _ -> [UInt8] in
            let type = UInt8.random(in: 0...12, using: &generator)
            let stream = generator.pick([0, 1, 2, Int.random(in: 0...streams * 2, using: &generator), 0x7fff_ffff])
            let content = Bool.random(using: &generator) ? generator.bytes(upTo: 60) : headerBlock(&generator)
            return Hand.frame(type: type, flags: .random(in: 0...255, using: &generator), stream: stream, content)
        }
    }

    /// A header block of any representations of RFC 7541 section 6.
    package static func headerBlock(_ generator: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 1...12, using: &generator)).flatMap { _ -> [UInt8] in
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: [0x80 | .random(in: 0...127, using: &generator)]
            case 1: Hand.indexed("x-\(Int.random(in: 0...9, using: &generator))", "y")
            case 2: [0x20 | .random(in: 0...31, using: &generator)]
            case 3: [0x80 | 8]
            case 4: Hand.block([(generator.pick(["apns-id", "A", "", ":status", ":path", "x\n"]), "v")])
            default: generator.bytes(upTo: 8)
            }
        }
    }

    /// What something that is no HTTP/2 server says.
    package static func proxyAnswer(_ generator: inout SeededGenerator) -> [UInt8] {
        let line = generator.pick([
            "HTTP/1.1 407 Proxy Authentication Required", "HTTP/1.1 502 Bad Gateway", "HTTP/1.0 200 OK",
            "SSH-2.0-OpenSSH_9.2", "220 mail ESMTP", "HTTP/1.1 101 Switching Protocols", "",
        ])
        return Array("\(line)\r\ncontent-type: text/html\r\n\r\n<html>".utf8) + generator.bytes(upTo: 2_000)
    }

    /// JSON that APNs could have said, or almost.
    package static func body(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(
            generator.pick([
                #"{"reason":"BadDeviceToken"}"#, #"{"reason":"Unregistered","timestamp":1700000000000}"#,
                #"{"reason":"Shutdown"}"#, #"{"reason":null,"timestamp":"x"}"#, "", "{}", "[]", "<html>",
            ]).utf8)
        if Int.random(in: 0..<3, using: &generator) == 0 { mutate(&bytes, &generator) }
        return bytes
    }

    /// Changes, removes or adds a few bytes.
    package static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[index] = .random(in: 0...255, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            case 2: bytes.remove(at: index)
            case 3: bytes.removeLast(bytes.count - index)
            default: bytes.insert(.random(in: 0...255, using: &generator), at: index)
            }
        }
    }
}
