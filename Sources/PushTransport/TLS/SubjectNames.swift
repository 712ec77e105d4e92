import CPushOpenSSL

/// The hosts and addresses in a certificate.
enum SubjectNames {
    private static let subjectAltName = "2.5.29.17"
    private static let dnsName: UInt8 = 0x82
    private static let ipAddress: UInt8 = 0x87
    private static let limit = 5

    /// At most five names, if they are visible ASCII, and the number of the others.
    static func of(_ certificate: OpaquePointer) -> [String] {
        guard let content = Certificate.extensionContent(of: certificate, identifier: subjectAltName) else { return [] }
        var outer = DERReader(content[...])
        guard let list = outer.next() else { return [] }
        var reader = DERReader(list.content)
        var names: [String] = []
        var count = 0
        while let value = reader.next() {
            guard let name = text(value.tag, content: value.content) else { continue }
            count += 1
            if count <= limit { names.append(name) }
        }
        return count > limit ? names + ["\(count - limit) more"] : names
    }

    private static func text(_ tag: UInt8, content: ArraySlice<UInt8>) -> String? {
        switch (tag, content.count) {
        case (dnsName, 1...253) where content.allSatisfy { (33..<127).contains($0) }:
            String(decoding: content, as: UTF8.self)
        case (ipAddress, 4): content.map { "\($0)" }.joined(separator: ".")
        case (ipAddress, 16):
            stride(from: content.startIndex, to: content.endIndex, by: 2)
                .map { String(Int(content[$0]) << 8 | Int(content[$0 + 1]), radix: 16) }.joined(separator: ":")
        default: nil
        }
    }
}
