import CPushOpenSSL
import Testing

@testable import PushTransport

/// Signing keys as people have them: after a form, an environment variable, JSON, YAML, a mail, a wrong editor.
@Suite struct KeyFormTests {
    private static let key = PrivateKey(TestPKI.key(.p256))
    private static let pem = String(decoding: TestPKI.keyPEM(key.pointer), as: UTF8.self)
    private static let lines = pem.split(separator: "\n").map(String.init)
    private static let digits = lines.dropFirst().dropLast().joined()

    private static func base64(_ text: some Sequence<UInt8>) -> String { PushTransport.base64(text) }

    private static var der: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: digits.utf8.count / 4 * 3)
        EVP_DecodeBlock(&bytes, Array(digits.utf8), Int32(digits.utf8.count))
        return Array(bytes.dropLast(digits.utf8.count { $0 == UInt8(ascii: "=") }))
    }

    private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
        ("\u{feff}" + text).utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xff)]
            return isBig ? bytes : bytes.reversed()
        }
    }

    private static let texts: [(name: String, text: String)] = [
        ("as Apple hands it out", pem), ("without its last line break", String(pem.dropLast())),
        ("CRLF", lines.joined(separator: "\r\n")), ("CR alone", lines.joined(separator: "\r")),
        ("spaces for line breaks", lines.joined(separator: " ")), ("nothing for line breaks", lines.joined()),
        ("\\n as text", lines.joined(separator: #"\n"#)), ("\\\\n, escaped twice", lines.joined(separator: #"\\n"#)),
        ("\\r\\n as text", lines.joined(separator: #"\r\n"#)),
        ("a JSON string", #"""# + pem.replacing("\n", with: #"\n"#).replacing("/", with: #"\/"#) + #"""#),
        (
            "a JSON string of a careful writer",
            pem.replacing("\n", with: #"\n"#).replacing("=", with: #"\u003d"#).replacing("+", with: #"\u002B"#)
        ),
        ("indented", lines.map { "    " + $0 }.joined(separator: "\n")),
        ("in a block of YAML", "key: |\n" + lines.map { "  " + $0 }.joined(separator: "\n")),
        ("tabs", lines.map { "\t" + $0 }.joined(separator: "\n")),
        ("quoted by a mail", lines.map { "> " + $0 }.joined(separator: "\n")),
        ("in quotes", "'" + pem + "'"), ("each line in quotes", lines.map { "\"\($0)\"" }.joined(separator: ",\n")),
        ("in quotes, as an assignment", "APNS_KEY=\"" + lines.joined(separator: #"\n"#) + "\""),
        ("blank lines", lines.joined(separator: "\n\n\n")), ("blanks at line ends", lines.joined(separator: "  \n")),
        ("markers broken in words", pem.replacing(" ", with: "\n")),
        ("one long line", [lines[0], digits, lines.last ?? ""].joined(separator: "\n")),
        ("lines of 20", lines[0] + "\n" + wrapped(digits, at: 20) + "\n" + (lines.last ?? "")),
        ("a byte order mark", "\u{feff}" + pem), ("no-break spaces", lines.joined(separator: "\u{a0}")),
        ("text around it", "The key:\n\n" + pem + "\nRegards"), ("bare base64", digits),
        ("bare base64 in lines", wrapped(digits, at: 64)),
        ("bare base64 without padding", digits.replacing("=", with: "")),
        ("base64 of the file", base64(pem.utf8)), ("base64 of the file, in lines", wrapped(base64(pem.utf8), at: 76)),
        (
            "URL-safe base64 of the file",
            base64(pem.utf8).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        ),
    ]

    private static func wrapped(_ text: String, at width: Int) -> String {
        stride(from: 0, to: text.count, by: width).map { String(text.dropFirst($0).prefix(width)) }.joined(
            separator: "\n")
    }

    @Test("parity: E4 – a key is read whatever became of its white space", arguments: texts.indices)
    func aKeyInAnyText(_ index: Int) {
        let form = Self.texts[index]
        expectKey(Array(form.text.utf8), form.name)
        expectKey(Self.utf16(form.text, isBig: false), form.name)
        expectKey(Self.utf16(form.text, isBig: true), form.name)
    }

    @Test("parity: E4 – a key in DER") func aKeyInDER() throws {
        expectKey(Self.der, "DER")
        #expect(try KeyText.pem(Self.der) == Self.der)
    }

    private func expectKey(_ bytes: [UInt8], _ name: String) {
        let message = Array("message".utf8)
        do throws(KeyError) {
            let signature = try SigningKey(pem: bytes).sign(message)
            #expect(Signature.verifies(signature, message, Self.key), "\(name)")
        } catch {
            Issue.record("\(name): \(error)")
        }
        #expect(ERR_peek_error() == 0)
    }

    /// What is wrong, and a word of the sentence.
    private static let wrong: [(name: String, code: KeyError.Code, word: String, bytes: [UInt8])] = [
        (
            "no end", .truncated, "lacks its last line, -----END PRIVATE KEY-----",
            Array(lines.dropLast().joined(separator: " ").utf8)
        ),
        (
            "no beginning", .truncated, "lacks its first line, -----BEGIN PRIVATE KEY-----",
            Array(lines.dropFirst().joined(separator: "\n").utf8)
        ),
        (
            "nothing between", .truncated, "nothing between its markers",
            Array((lines[0] + " " + (lines.last ?? "")).utf8)
        ),
        ("no base64 between", .damaged, "not of base64", Array(pem.replacing(digits.prefix(1), with: "!").utf8)),
        (
            "half of it between", .damaged, "cut off or damaged",
            Array((lines[0] + digits.prefix(80) + (lines.last ?? "")).utf8)
        ),
        ("a text", .notPEM, "neither PEM text", Array("my secret key".utf8)),
        ("base64 of something else", .notPEM, "neither PEM text", Array(base64(Array(repeating: 7, count: 90)).utf8)),
        ("base64 of base64 of it", .notPEM, "neither PEM text", Array(base64(base64(pem.utf8).utf8).utf8)),
        ("a certificate", .certificateInsteadOfKey, "--certificate", TestPKI.server.certificatePEM),
        (
            "a certificate and its key", .certificateInsteadOfKey, "and its key",
            TestPKI.server.certificatePEM + TestPKI.server.keyPEM
        ),
        ("an encrypted key", .encrypted, "Apple's keys never are", TestPKI.keyPEM(key.pointer, password: "secret")),
        (
            "an old encrypted key", .encrypted, "Apple's keys never are",
            Array(
                "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: DES,1\n\nAAAA\n-----END EC PRIVATE KEY-----"
                    .utf8)
        ),
    ]

    @Test(arguments: wrong.indices)
    func whatIsMissingIsSaidAndNobodyIsSentToDownloadItAgain(_ index: Int) {
        let form = Self.wrong[index]
        let error = #expect(throws: KeyError.self) { _ = try SigningKey(pem: form.bytes) }
        #expect(
            error?.code == form.code && error?.sentence.contains(form.word) == true, "\(form.name): \(error as Any)")
        #expect(error?.sentence.lowercased().contains("download") == false)
        #expect(error?.sentence.contains(Self.digits.prefix(20)) == false)
        #expect(ERR_peek_error() == 0)
    }

    @Test func aPKCS12FileIsNamed() throws {
        let folder = try CredentialFolder()
        try folder.write("key.pem", TestPKI.server.keyPEM)
        try folder.write("cert.pem", TestPKI.server.certificatePEM)
        let file = try folder.openssl("pkcs12 -export -inkey key.pem -in cert.pem -passout pass:x")
        let error = #expect(throws: KeyError.self) { _ = try SigningKey(pem: file) }
        #expect(error?.code == .isPKCS12 && error?.sentence.contains("--p12") == true)
    }

    @Test func aKeyThatIsBentAtAnyPlaceEndsInAKeyOrASentence() {
        let good = Array(Self.pem.utf8)
        for index in good.indices {
            for change in [[], [0xff], [UInt8(ascii: "\\"), good[index]], [UInt8(ascii: "-")], [0]] as [[UInt8]] {
                let bytes = good[..<index] + change + good[(index + 1)...]
                do throws(KeyError) { _ = try SigningKey(pem: Array(bytes)) } catch {
                    #expect(error.sentence.hasSuffix("."))
                }
            }
        }
        #expect(ERR_peek_error() == 0)
    }
}
