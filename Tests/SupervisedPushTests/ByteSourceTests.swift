import Foundation
import Testing

@testable import SupervisedPush

/// Keys, certificates and bundles come in one form.
@Suite struct ByteSourceTests {
    @Test func bytesComeAsAnyCollectionOrText() async throws {
        func loaded(_ source: ByteSource) async throws -> [UInt8]? { try await source.loader?.bytes() }
        let (data, text, bytes) = (Data("key".utf8), "key", Array("key".utf8))
        #expect(try await loaded(.loader("vault") { data }) == bytes)
        #expect(try await loaded(.loader("vault") { text }) == bytes)
        #expect(try await loaded(.loader("vault") { bytes }) == bytes)
        #expect(try ByteSource.bytes(data).read("key") == bytes)
    }

    @Test func trustTakesABundleAsCredentialsDo() throws {
        let sources: [TrustRoots] = [
            .pem(.file("ca.pem")), .file("ca.pem"), .pem("text"), .pem(.pem("text")), .pem(.bytes([1])),
        ]
        #expect(
            sources.map { $0.bundle?.description } == [
                "file ca.pem", "file ca.pem", "4 bytes in memory", "4 bytes in memory", "1 bytes in memory",
            ])
    }
}
