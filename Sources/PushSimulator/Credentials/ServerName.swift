import CPushOpenSSL
import Glibc

/// A name or an address that a server's certificate is valid for.
package struct ServerName: Sendable, Hashable, CustomStringConvertible {
    package let description: String
    package let isAddress: Bool

    /// Nil unless the text is an IP address, or labels of letters, digits, hyphens and underscores with periods between
    /// them.
    package init?(_ text: String) {
        isAddress = Self.isAddress(text)
        guard isAddress || Self.isName(text) else { return nil }
        description = text
    }

    /// The name in OpenSSL's notation of the extension.
    var subjectAlternativeName: String { (isAddress ? "IP:" : "DNS:") + description }

    private static func isAddress(_ text: String) -> Bool {
        var v4 = in_addr()
        var v6 = in6_addr()
        return inet_pton(AF_INET, text, &v4) == 1 || inet_pton(AF_INET6, text, &v6) == 1
    }

    private static func isName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, let last = labels.last else { return false }
        // A last label of digits is a mistyped address.
        return labels.allSatisfy(isLabel) && !last.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard (1...63).contains(label.count), label.first != hyphen, label.last != hyphen else { return false }
        return label.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, hyphen, UInt8(ascii: "_"): true
            default: false
            }
        }
    }
}

extension CertificateObject {
    /// Whether a client accepts this certificate for that name.
    func isValid(for name: ServerName) -> Bool {
        defer { ERR_clear_error() }
        let text = name.description
        return name.isAddress
            ? X509_check_ip_asc(pointer, text, 0) == 1 : X509_check_host(pointer, text, text.utf8.count, 0, nil) == 1
    }
}
