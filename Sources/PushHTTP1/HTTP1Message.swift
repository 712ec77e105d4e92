/// A request or an answer of HTTP/1.1 (RFC 9112), whole.
package struct HTTP1Message: Sendable, Equatable {
    /// The first line.
    package enum Start: Sendable, Equatable {
        case request(method: String, target: String)
        case response(status: Int)
    }

    /// One header field. The name is in lower case.
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name.lowercased()
            self.value = value
        }
    }

    package var start: Start
    package var fields: [Field]
    package var body: [UInt8]

    package init(_ start: Start, fields: [Field] = [], body: [UInt8] = []) {
        self.start = start
        self.fields = fields
        self.body = body
    }

    /// The value of the first field with this name, which is in lower case.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The status of an answer; nil of a request.
    package var status: Int? { if case .response(let status) = start { status } else { nil } }

    /// The message as it is sent, with its length.
    ///
    /// - Returns: Nil if a name, a value or the target has a character that would end its line.
    package var bytes: [UInt8]? {
        var lines = [firstLine]
        for field in fields { lines.append("\(field.name): \(field.value)") }
        if needsLength { lines.append("content-length: \(body.count)") }
        guard lines.allSatisfy({ line in line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else { return nil }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    private var firstLine: String {
        switch start {
        case .request(let method, let target): "\(method) \(target) HTTP/1.1"
        // The text behind the status means nothing (RFC 9112, section 4), but its space must be there.
        case .response(let status): "HTTP/1.1 \(status) "
        }
    }

    /// A GET without a body says nothing of it.
    private var needsLength: Bool {
        if case .request("GET", _) = start { return !body.isEmpty }
        return true
    }
}
