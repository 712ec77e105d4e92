package import ProcessRuntime

extension SeededGenerator {
    /// Any bytes, at most `limit`.
    package mutating func bytes(upTo limit: Int) -> [UInt8] {
        (0..<Int.random(in: 0...limit, using: &self)).map { _ in .random(in: 0...255, using: &self) }
    }

    /// One of these.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
