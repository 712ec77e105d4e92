import CPushOpenSSL
import Testing

@testable import PushTransport

/// Files of several blocks of which one cannot be read: none is taken as far as it goes.
@Suite struct DamagedPEMTests {
    private let first = TestPKI.root.certificatePEM
    private let second = TestPKI.otherRoot.certificatePEM
    private let made = TestPKI.server

    /// Without its last 100 bytes: the cut goes through the base64.
    private func cut(_ pem: [UInt8]) -> [UInt8] { Array(pem.dropLast(100)) }

    /// With a character in the middle of the base64 that is none of it.
    private func bent(_ pem: [UInt8]) -> [UInt8] {
        var pem = pem
        pem[pem.count / 2] = UInt8(ascii: "!")
        return pem
    }

    private func lines(_ text: String) -> [UInt8] { Array((text + "\n").utf8) }

    @Test func aTrustBundleThatIsCutOrBentLosesNoRootInSilence() {
        let bundles = [
            first + cut(second), first + bent(second), bent(first) + second, first + bent(made.certificatePEM) + second,
            first + lines("-----BEGIN CERTIFICATE-----"),
            first + lines("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"),
        ]
        for (number, bundle) in bundles.enumerated() {
            expectKeyError(.damaged) { _ = try PEMBundle(bundle, what: "trust roots") }
            expectKeyError(.damaged) { _ = try TLSContext.client(trust: .pem(bundle)) }
            #expect(ERR_peek_error() == 0, "\(number)")
        }
    }

    @Test func anIdentityThatIsCutOrBentLosesNoIntermediateAndSaysSoOfItsKey() {
        expectKeyError(.damaged) { _ = try Identity(pem: made.certificatePEM + made.keyPEM + cut(first)) }
        expectKeyError(.damaged) { _ = try Identity(pem: made.certificatePEM + bent(first) + made.keyPEM) }
        expectKeyError(.damaged) { _ = try Identity(pem: made.certificatePEM + cut(made.keyPEM)) }
        expectKeyError(.damaged) { _ = try Identity(pem: made.certificatePEM + bent(made.keyPEM)) }
        expectKeyError(.damaged) {
            _ = try Identity(certificate: made.certificatePEM + cut(first), key: made.keyPEM)
        }
        #expect(ERR_peek_error() == 0)
    }

    @Test func textAroundTheBlocksOfAWholeFileIsNoDamage() throws {
        let text = lines("# Root of ours, 2024 – ünïcode\nBag Attributes: <none>\n----- not a block -----\n")
        let long = lines(String(repeating: "x", count: 2_000))
        let bundle = text + first + long + text + second + lines("\r\n\t") + text
        #expect(try PEMBundle(bundle, what: "trust roots").certificates.count == 2)
        #expect(try PEMBundle(first + second.dropLast(), what: "trust roots").certificates.count == 2)
        let chained = try Identity(pem: text + made.certificatePEM + text + made.keyPEM + long + first + text)
        #expect(chained.chain.map(\.commonName) == ["Test root"])
        #expect(ERR_peek_error() == 0)
    }
}
