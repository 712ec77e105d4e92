import Dispatch
import Foundation
import Glibc

/// A small client of HTTP/1.1: one connection for each request, with exactly the fields that a test gives.
struct HTTPClient: Sendable {
    struct Answer: Sendable {
        var status = 0
        /// By name in lower case.
        var fields: [String: String] = [:]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    struct Failure: Error {
        let code: Int32
    }

    let port: Int

    func get(_ path: String, _ fields: [String: String] = [:]) async throws -> Answer {
        try await request("GET", path, fields)
    }

    /// Sends JSON.
    func send(_ method: String, _ path: String, _ json: String = "", _ fields: [String: String] = [:]) async throws
        -> Answer
    {
        let type = json.isEmpty ? [:] : ["content-type": "application/json"]
        return try await request(method, path, fields.merging(type) { own, _ in own }, json)
    }

    func request(
        _ method: String, _ path: String, _ fields: [String: String] = [:], _ body: String = ""
    ) async throws -> Answer {
        Self.answer(try await exchange(method, path, fields, body) { _ in false })
    }

    /// Reads until the server ends the connection, or until enough came.
    func exchange(
        _ method: String, _ path: String, _ fields: [String: String] = [:], _ body: String = "",
        until isEnough: @escaping @Sendable (String) -> Bool
    ) async throws -> [UInt8] {
        var all = ["host": "127.0.0.1:\(port)", "connection": "close", "content-length": "\(body.utf8.count)"]
        all.merge(fields) { _, given in given }
        let head = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.joined()
        let bytes = Array("\(method) \(path) HTTP/1.1\r\n\(head)\r\n\(body)".utf8)
        let port = port
        // Its own thread: the server needs those of the tasks.
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "http-client").async {
                continuation.resume(with: Result { try Self.exchange(bytes, port, isEnough) })
            }
        }
    }

    private static func exchange(_ bytes: [UInt8], _ port: Int, _ isEnough: (String) -> Bool) throws -> [UInt8] {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeBytes(of: &address) { raw in
            connect(descriptor, raw.assumingMemoryBound(to: sockaddr.self).baseAddress, size) == 0
        }
        guard isConnected, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        else {
            throw Failure(code: errno)
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return received }
            received += buffer[..<count]
            if isEnough(String(decoding: received, as: UTF8.self)) { return received }
        }
    }

    private static func answer(_ bytes: [UInt8]) -> Answer {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return Answer() }
        var answer = Answer()
        for (index, line) in text[..<end.lowerBound].components(separatedBy: "\r\n").enumerated() {
            if index == 0 {
                answer.status = Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0
            } else if let colon = line.firstIndex(of: ":") {
                answer.fields[line[..<colon].lowercased()] =
                    line[line.index(after: colon)...].trimmingPrefix(" ").description
            }
        }
        let body = Array(text[end.upperBound...].utf8)
        answer.body = answer.fields["transfer-encoding"] == "chunked" ? unchunked(body) : body
        return answer
    }

    private static func unchunked(_ bytes: [UInt8]) -> [UInt8] {
        var body: [UInt8] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0D),
            let count = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), count > 0
        {
            let start = end + 2
            body += rest[start..<min(start + count, rest.endIndex)]
            rest = rest.dropFirst(start + count + 2 - rest.startIndex)
        }
        return body
    }
}
