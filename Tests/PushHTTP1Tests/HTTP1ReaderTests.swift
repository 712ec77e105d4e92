import Testing

@testable import PushHTTP1

/// Messages of HTTP/1.1 as bytes.
@Suite("parity: F27 – answers of HTTP/1.1") struct HTTP1ReaderTests {
    /// Reads an answer that arrives in pieces of this size, and then the end of its stream.
    private func read(
        _ text: String, pieces: Int = .max, bodyBytes: Int = 1_000, ends: Bool = true,
        _ kind: HTTP1Reader.Kind = .responses
    ) throws(HTTP1Problem) -> HTTP1Message? {
        var reader = HTTP1Reader(kind, limits: HTTP1Reader.Limits(bodyBytes: bodyBytes))
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(piece.count)
            var problem: HTTP1Problem?
            piece.withUnsafeBytes { bytes in
                do throws(HTTP1Problem) { try reader.receive(bytes) } catch { problem = error }
            }
            if let problem { throw problem }
        }
        if ends { try reader.end() }
        return reader.message
    }

    private func problem(_ text: String, bodyBytes: Int = 1_000, _ kind: HTTP1Reader.Kind = .responses) -> HTTP1Problem?
    {
        do throws(HTTP1Problem) {
            _ = try read(text, bodyBytes: bodyBytes, kind)
            return nil
        } catch { return error }
    }

    @Test(arguments: [1, 2, 7, .max]) func aBodyEndsWithItsLengthItsLastChunkOrItsStream(pieces: Int) throws {
        let bodies = [
            "Content-Length: 5\r\n\r\nabcde",
            "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3;x=y\r\ncde\r\n0\r\nx: y\r\n\r\n",
            "\r\nabcde",
        ]
        for body in bodies {
            let message = try #require(try read("HTTP/1.1 200 OK\r\nX-A:  b \r\n" + body, pieces: pieces))
            #expect(message.status == 200 && message["x-a"] == "b" && message.body == Array("abcde".utf8))
        }
    }

    @Test func anAnswerWithALengthNeedsNoEndOfTheStream() throws {
        #expect(try read("HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", ends: false)?.status == 404)
        #expect(try read("HTTP/1.1 204 No Content\r\n\r\n", ends: false)?.body == [])
        #expect(try read("HTTP/1.1 200 OK\r\n\r\nab", ends: false) == nil)
    }

    @Test func interimAnswersAreSkipped() throws {
        let text = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
        let message = try #require(try read(text))
        #expect(message.status == 200 && message["link"] == nil && message.body == Array("a".utf8))
    }

    @Test func whatFollowsAMessageIsNotRead() throws {
        let message = try #require(try read("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc HTTP/1.1 500 \r\n"))
        #expect(message.status == 200 && message.body == Array("a".utf8))
    }

    @Test func aStreamThatEndsEarlyLeavesNoMessage() {
        for text in [
            "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
        ] { #expect(problem(text) == .incomplete, "\(text)") }
    }

    @Test func eachBoundHolds() {
        let start = "HTTP/1.1 200 OK\r\n"
        #expect(problem(start + "Content-Length: 11\r\n\r\n", bodyBytes: 10) == .bodyTooLong)
        #expect(
            problem(start + "Transfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n5\r\n", bodyBytes: 10) == .bodyTooLong)
        #expect(problem(start + "\r\nabcdefghijk", bodyBytes: 10) == .bodyTooLong)
        #expect(problem(start + "\r\nabcdefghij", bodyBytes: 10) == nil)
        #expect(problem(start + String(repeating: "a: b\r\n", count: 129) + "\r\n") == .headTooLong)
        #expect(problem(start + "a: " + String(repeating: "b", count: 40_000)) == .headTooLong)
        #expect(
            problem(start + "Transfer-Encoding: chunked\r\n\r\n0" + String(repeating: "0", count: 40_000))
                == .headTooLong)
    }

    @Test func whatIsNoHTTPIsRefused() {
        #expect(problem("SSH-2.0-OpenSSH_9.6\r\n") == .notHTTP)
        #expect(problem("HTTP/2 200\r\n\r\n") == .notHTTP)
        #expect(problem("HTTP/1.1 2000 OK\r\n") == .notHTTP)
        #expect(problem("HTTP/1.1 101 Switching Protocols\r\n\r\n") == .notHTTP)
        #expect(problem("HTTP/1.1 200 OK\r\nno colon\r\n\r\n") == .malformedField)
        #expect(problem("HTTP/1.1 200 OK\r\na: b\r\n folded\r\n\r\n") == .malformedField)
        for length in ["-1", "1 1", "0x1", "", "1, 1", "9999999999999999"] {
            #expect(problem("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n") == .malformedLength, "\(length)")
        }
        #expect(problem("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n") == .malformedLength)
        let both = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(problem(both) == .malformedLength)
        #expect(problem("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n") == .malformedLength)
        #expect(problem("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n") == .malformedLength)
        #expect(problem("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n") == .malformedLength)
    }

    @Test func whatIsWrittenCanBeRead() throws {
        let message = HTTP1Message(
            .request(method: "POST", target: "/a?b=c"), fields: [.init("Host", "example.com")], body: Array("{}".utf8))
        let bytes = try #require(message.bytes)
        let read = try #require(try read(String(decoding: bytes, as: UTF8.self), .requests))
        #expect(read.start == message.start && read["host"] == "example.com" && read.body == message.body)
        let get = try #require(HTTP1Message(.request(method: "GET", target: "/")).bytes)
        #expect(String(decoding: get, as: UTF8.self) == "GET / HTTP/1.1\r\n\r\n")
        #expect(problem("GET example.com HTTP/1.1\r\n\r\n", .requests) == .notHTTP)
    }

    @Test func aValueThatWouldEndItsLineIsNotWritten() {
        let start = HTTP1Message.Start.request(method: "GET", target: "/")
        #expect(HTTP1Message(start, fields: [.init("a", "b\r\nc: d")]).bytes == nil)
        #expect(HTTP1Message(.request(method: "GET", target: "/\n")).bytes == nil)
    }
}
