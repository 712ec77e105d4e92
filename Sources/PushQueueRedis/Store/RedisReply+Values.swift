import PushQueue

extension RedisReply {
    var bytes: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .status(let text): Array(text.utf8)
        default: nil
        }
    }

    var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// A number, also as digits.
    var number: Int? {
        if case .integer(let value) = self { return Int(value) }
        return text.flatMap { Int($0) }
    }

    /// The elements of a list; none for anything else.
    var elements: [RedisReply] {
        if case .array(let elements) = self { return elements }
        return []
    }

    /// The values of a list of names and values, by their names.
    var pairs: [String: RedisReply] {
        let elements = elements
        var pairs: [String: RedisReply] = [:]
        for index in stride(from: 0, to: elements.count - 1, by: 2) {
            if let name = elements[index].text { pairs[name] = elements[index + 1] }
        }
        return pairs
    }

    /// An element; null if there are fewer.
    subscript(index: Int) -> RedisReply {
        let elements = elements
        return elements.indices.contains(index) ? elements[index] : .null
    }
}
