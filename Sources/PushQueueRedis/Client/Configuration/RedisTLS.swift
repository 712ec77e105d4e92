import FoundationEssentials
import PushQueue
import PushTransport
import SupervisedPush

/// The files of TLS, all PEM. They are read when a ``RedisConnection`` is made.
public struct RedisTLS: Sendable, Hashable {
    /// The root certificates to trust instead of the system's; nil, the default, trusts the system's.
    public var rootsFile: String?
    /// A certificate, and its chain, for a server that asks for one; nil, the default, shows none.
    public var certificateFile: String?
    /// The key of the certificate. Nil, the default: it is in the certificate's file.
    public var keyFile: String?

    /// Trusts the given roots, and shows the given certificate.
    public init(rootsFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
        self.rootsFile = rootsFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// The path of the file with the key, if each user of the machine may read or change it; nil otherwise.
    package var openKeyFile: String? {
        guard let path = keyFile ?? certificateFile, ByteSource.file(path).isOpenToAll else { return nil }
        return path
    }

    func makeContext() throws(QueueError) -> TLSContext {
        var trust = TrustAnchors.system
        if let rootsFile { trust = .pem(try Self.read(rootsFile)) }
        do {
            var identity: Identity?
            if let certificateFile {
                var pem = try Self.read(certificateFile)
                if let keyFile { pem += try [UInt8(ascii: "\n")] + Self.read(keyFile) }
                identity = try Identity(certificate: pem, key: nil)
            }
            return try TLSContext.client(trust: trust, identity: identity, alpn: .none)
        } catch let error as QueueError {
            throw error
        } catch {
            throw QueueError(.failed, "TLS to the Redis server cannot be set up: \(error)")
        }
    }

    private static func read(_ path: String) throws(QueueError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw QueueError(
                .failed, "The file \(path) cannot be read. Check that it exists and that this user may read it.")
        }
        return Array(data)
    }
}
