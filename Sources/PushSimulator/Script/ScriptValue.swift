import FoundationEssentials

/// Any JSON value, before it is interpreted.
indirect enum ScriptValue: Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([ScriptValue])
    case object([String: ScriptValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([ScriptValue].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: ScriptValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }

    static func parse(_ bytes: [UInt8]) throws(SimulatorError) -> ScriptValue {
        do {
            return try JSONDecoder().decode(ScriptValue.self, from: Data(bytes))
        } catch DecodingError.dataCorrupted(let context) {
            let reason = context.underlyingError.map { "\($0)" } ?? context.debugDescription
            throw SimulatorError(.configuration, "The script is not JSON: \(reason)")
        } catch {
            throw SimulatorError(.configuration, "The script is not JSON.")
        }
    }

    /// The kind of value, for a sentence.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .number: "a number"
        case .text: "a string"
        case .list: "a list"
        case .object: "an object"
        }
    }
}
