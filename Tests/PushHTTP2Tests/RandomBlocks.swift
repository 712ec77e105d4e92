import Foundation
import ProcessRuntime

@testable import PushHTTP2

/// Header blocks of random requests, and what a decoder must find in them.
enum RandomBlocks {
    struct Step: Encodable {
        /// The receiver allows tables of these sizes before the block, one after the other.
        var allowed: [Int]
        var block: Data
        var fields: [DecodedField]
    }

    struct LostHead: Error {
        var stream: StreamID
    }

    private static let names: [StaticString] = [
        ":authority", ":path", "authorization", "content-type", "apns-topic", "apns-priority", "apns-push-type",
        "apns-id", "apns-collapse-id", "apns-expiration", "x", "x-of-the-caller",
    ]

    /// Lists that are new, the same as before, or the same but for the values that vary; some are dropped before they
    /// are encoded, and the table's limit changes now and then.
    static func make(seed: UInt64) throws -> [Step] {
        var generator = SeededGenerator(seed: seed)
        var encoder = HeaderEncoder()
        var heads = WaitingHeads()
        var steps: [Step] = []
        var list = fields(&generator)
        var stream: StreamID = 1
        var allowed: [Int] = []
        while steps.count < 200 {
            if Int.random(in: 0..<25, using: &generator) == 0 {
                let size = [0, 1, 60, 200, 1_000, 4_096, 9_000].randomElement(using: &generator) ?? 0
                encoder.peerAllows(size)
                allowed.append(size)
            }
            var sent: [(StreamID, [DecodedField])] = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: list = fields(&generator)
                case 1: break
                default: overwrite(&list, &generator)
                }
                heads.append(stream, fields: list)
                if Int.random(in: 0..<8, using: &generator) > 0 { sent.append((stream, decoded(list))) }
                stream += 2
            }
            for (stream, fields) in sent {
                guard let head = heads.take(stream) else { throw LostHead(stream: stream) }
                steps.append(Step(allowed: allowed, block: Data(encoder.block(head)), fields: fields))
                allowed = []
            }
            heads.trim()
        }
        return steps
    }

    private static func fields(_ generator: inout SeededGenerator) -> FieldList {
        var list = FieldList()
        list.append(":method", ["POST", "GET", "DELETE"].randomElement(using: &generator) ?? "")
        list.append(":scheme", "https")
        for _ in 0..<Int.random(in: 0...9, using: &generator) {
            let name = names.randomElement(using: &generator) ?? "x"
            let use = FieldIndexing(rawValue: UInt8.random(in: 0...3, using: &generator)) ?? .incremental
            let length = [0, 1, 10, 126, 127, 128, 300, 1_500].randomElement(using: &generator) ?? 0
            let letter = UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "b"), using: &generator)
            let value = [UInt8](repeating: letter, count: length)
            value.withUnsafeBytes {
                list.append(name, bytes: $0, indexing: use, varies: Bool.random(using: &generator))
            }
        }
        return list
    }

    private static func overwrite(_ list: inout FieldList, _ generator: inout SeededGenerator) {
        let letter = UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "d"), using: &generator)
        list.overwriteVarying(0..<list.varyingCount) { bytes in
            for index in bytes.indices { bytes[index] = letter }
        }
    }

    private static func decoded(_ list: FieldList) -> [DecodedField] {
        list.fixed.withUnsafeBytes { fixed in
            list.varying.withUnsafeBytes { varying in
                var reader = FieldReader(fixed: fixed, varying: varying)
                var fields: [DecodedField] = []
                while let field = reader.next() {
                    fields.append(
                        DecodedField(
                            name: String(decoding: field.name, as: UTF8.self),
                            value: String(decoding: field.value, as: UTF8.self),
                            isNeverIndexed: field.head.indexing == .never && !field.head.entry.hasValue))
                }
                return fields
            }
        }
    }
}

/// The decoder of Python's h2, from Debian's python3-hpack.
enum PythonDecoder {
    static let isInstalled = (try? run("import hpack; print(1)", [])) == "1"

    private static let script = """
        import base64, hpack, json, sys
        count = 0
        for blocks in json.load(sys.stdin):
            decoder = hpack.Decoder(max_header_list_size=2**20)
            for step in blocks:
                for size in step['allowed']:
                    decoder.max_allowed_table_size = size
                found = decoder.decode(base64.b64decode(step['block']), raw=True)
                found = [(n.decode(), v.decode(), not f.indexable) for f in found for n, v in [f]]
                expected = [(f['name'], f['value'], f['isNeverIndexed']) for f in step['fields']]
                if found != expected:
                    sys.exit('block %d: %r, not %r' % (count, found, expected))
                count += 1
        print(count)
        """

    /// What the script prints: the number of blocks it decoded as expected.
    static func decodes(_ blocks: [[RandomBlocks.Step]]) throws -> String {
        try run(script, Array(JSONEncoder().encode(blocks)))
    }

    private static func run(_ script: String, _ input: [UInt8]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script]
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = FileHandle.standardError
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input))
        try stdin.fileHandleForWriting.close()
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
