import CPushOpenSSL

/// The fields of a provider's client certificate that APNs reads.
struct ProviderCertificate: Sendable {
    /// The subject's UID: the base topic.
    var subjectUID: String?
    /// The subject's OU: the team.
    var teamID: String?
    /// The topics of extension 1.2.840.113635.100.6.3.6; empty without it.
    var topics: [String] = []
    /// The environments in the extensions 6.3.1 and 6.3.2. A certificate without either is valid nowhere.
    var environments: Set<SimulatedEnvironment> = []

    init(subjectUID: String?, topics: [String] = [], environments: Set<SimulatedEnvironment>) {
        self.subjectUID = subjectUID
        self.topics = topics
        self.environments = environments
    }

    init(_ certificate: CertificateObject) {
        subjectUID = Self.subject(certificate, NID_userId)
        teamID = Self.subject(certificate, NID_organizationalUnitName)
        if Self.extensionValue(certificate, PushExtension.development) != nil { environments.insert(.development) }
        if Self.extensionValue(certificate, PushExtension.production) != nil { environments.insert(.production) }
        topics = Self.extensionValue(certificate, PushExtension.topics).map(DER.topics) ?? []
    }

    init?(der: [UInt8]) {
        guard let certificate = CertificateObject(der: der) else { return nil }
        self.init(certificate)
    }

    /// The topic of a push without one: the UID, unless the certificate lists its topics.
    var defaultTopic: Octets? {
        guard topics.isEmpty, let subjectUID else { return nil }
        return Octets(Array(subjectUID.utf8))
    }

    func covers(_ topic: Octets) -> Bool {
        let topic = topic.text
        return topics.isEmpty ? topic == subjectUID : topics.contains(topic)
    }

    private static func subject(_ certificate: CertificateObject, _ field: Int32) -> String? {
        guard let name = X509_get_subject_name(certificate.pointer) else { return nil }
        let index = X509_NAME_get_index_by_NID(name, field, -1)
        guard index >= 0, let entry = X509_NAME_get_entry(name, index), let data = X509_NAME_ENTRY_get_data(entry)
        else {
            return nil
        }
        return text(data)
    }

    private static func extensionValue(_ certificate: CertificateObject, _ identifier: String) -> [UInt8]? {
        guard let object = OBJ_txt2obj(identifier, 1) else { return nil }
        defer { ASN1_OBJECT_free(object) }
        let index = X509_get_ext_by_OBJ(certificate.pointer, object, -1)
        guard index >= 0, let found = X509_get_ext(certificate.pointer, index),
            let data = X509_EXTENSION_get_data(found)
        else { return nil }
        return bytes(data)
    }

    private static func bytes(_ string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
        let count = Int(ASN1_STRING_length(string))
        guard count > 0, let start = ASN1_STRING_get0_data(string) else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }

    private static func text(_ string: UnsafePointer<ASN1_STRING>) -> String {
        String(decoding: bytes(string), as: UTF8.self)
    }
}

/// Apple's extensions of a push certificate.
enum PushExtension {
    static let development = "1.2.840.113635.100.6.3.1"
    static let production = "1.2.840.113635.100.6.3.2"
    static let topics = "1.2.840.113635.100.6.3.6"
}
