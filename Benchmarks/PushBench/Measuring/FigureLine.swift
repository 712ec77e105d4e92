import FoundationEssentials

/// One measurement, as it is printed and read again.
struct FigureLine: Codable {
    let figure: String
    let subject: String
    let round: Int
    let values: [String: Double]

    /// On standard output, as one line of JSON.
    func print() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}
