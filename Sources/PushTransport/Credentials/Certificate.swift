import CPushOpenSSL
import Glibc

/// An X.509 certificate and the fields that matter to APNs.
///
/// Certificates of peers are parsed with the same code, so it checks all bounds and trusts nothing.
package struct Certificate: Sendable {
    /// Owns the `X509`.
    private final class Handle: @unchecked Sendable {
        // Sendable: the certificate is read once in init and never changed, and its reference count is atomic.
        let pointer: OpaquePointer
        init(_ pointer: OpaquePointer) { self.pointer = pointer }
        deinit { X509_free(pointer) }
    }

    private let handle: Handle
    /// The subject's UID (OID 0.9.2342.19200300.100.1.1): the base topic of a provider certificate.
    package let subjectUID: String?
    package let commonName: String?
    /// The topics in extension 1.2.840.113635.100.6.3.6, in order, at most 1,000; empty without the extension.
    package let topics: [String]
    /// Extension 1.2.840.113635.100.6.3.1: valid for the development environment.
    package let allowsDevelopment: Bool
    /// Extension 1.2.840.113635.100.6.3.2: valid for the production environment.
    package let allowsProduction: Bool
    /// Validity in seconds since 1970, both ends included.
    package let notBefore: Int64
    package let notAfter: Int64

    /// Nil if `der` is not exactly one certificate.
    package init?(der: [UInt8]) {
        OpenSSLSetup.once()
        let parsed = der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var position = buffer.baseAddress
            guard let pointer = d2i_X509(nil, &position, buffer.count) else { return nil }
            if let start = buffer.baseAddress, position == start + buffer.count { return pointer }
            X509_free(pointer)
            return nil
        }
        defer { ERR_clear_error() }
        guard let parsed else { return nil }
        handle = Handle(parsed)
        guard let notBefore = Self.seconds(X509_get0_notBefore(parsed)),
            let notAfter = Self.seconds(X509_get0_notAfter(parsed))
        else { return nil }
        self.notBefore = notBefore
        self.notAfter = notAfter
        subjectUID = Self.subjectText(of: parsed, field: NID_userId)
        commonName = Self.subjectText(of: parsed, field: NID_commonName)
        topics = Self.extensionContent(of: parsed, identifier: "1.2.840.113635.100.6.3.6").map(Self.topics) ?? []
        allowsDevelopment = Self.extensionContent(of: parsed, identifier: "1.2.840.113635.100.6.3.1") != nil
        allowsProduction = Self.extensionContent(of: parsed, identifier: "1.2.840.113635.100.6.3.2") != nil
    }

    /// The same certificate in the default library context; nil if that fails.
    ///
    /// - Parameter foreign: A certificate of any library context. The caller keeps its ownership.
    init?(copying foreign: OpaquePointer) {
        var bytes: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(foreign, &bytes)
        guard length > 0, let bytes else { return nil }
        defer { cpush_free(bytes) }
        self.init(der: Array(UnsafeBufferPointer(start: bytes, count: Int(length))))
    }

    /// Subject and issuer as distinguished names, at most 200 bytes each.
    package var subject: String { withPointer { Self.name(X509_get_subject_name($0)) } }
    package var issuer: String { withPointer { Self.name(X509_get_issuer_name($0)) } }

    /// Passes the `X509` to `body`, where it is valid.
    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(handle.pointer) }

    func matches(_ key: PrivateKey) -> Bool {
        defer { ERR_clear_error() }
        return X509_check_private_key(handle.pointer, key.pointer) == 1
    }

    /// `SEQUENCE { UTF8String topic, SEQUENCE { UTF8String kind }, topic, … }`
    static func topics(in content: [UInt8]) -> [String] {
        var outer = DERReader(content[...])
        guard let list = outer.next(), list.tag == DERReader.Tag.sequence else { return [] }
        var reader = DERReader(list.content)
        var topics: [String] = []
        while topics.count < 1_000, let value = reader.next() {
            guard value.tag == DERReader.Tag.utf8String, let topic = String(validating: value.content, as: UTF8.self)
            else { continue }
            topics.append(topic)
        }
        return topics
    }

    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var parts = tm()
        guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Int64(timegm(&parts))
    }

    /// A distinguished name, cut at 200 bytes. OpenSSL escapes what is not visible ASCII as `\x0A`.
    static func name(_ name: OpaquePointer?) -> String {
        var buffer = [CChar](repeating: 0, count: 200)
        guard let name, X509_NAME_oneline(name, &buffer, Int32(buffer.count)) != nil else { return "unknown" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty ? "empty" : String(decoding: bytes, as: UTF8.self)
    }

    private static func subjectText(of certificate: OpaquePointer, field: Int32) -> String? {
        guard let name = X509_get_subject_name(certificate) else { return nil }
        let index = X509_NAME_get_index_by_NID(name, field, -1)
        guard index >= 0, let entry = X509_NAME_get_entry(name, index) else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
        guard length >= 0, let text else { return nil }
        defer { cpush_free(text) }
        return String(validating: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self)
    }

    static func extensionContent(of certificate: OpaquePointer, identifier: String) -> [UInt8]? {
        guard let object = OBJ_txt2obj(identifier, 1) else { return nil }
        defer { ASN1_OBJECT_free(object) }
        let index = X509_get_ext_by_OBJ(certificate, object, -1)
        guard index >= 0, let data = X509_EXTENSION_get_data(X509_get_ext(certificate, index)) else { return nil }
        return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data))))
    }
}
