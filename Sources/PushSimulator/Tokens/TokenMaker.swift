import CPushOpenSSL

/// Signs provider tokens with a key that the simulator made.
struct TokenMaker {
    let keyID: String
    let teamID: String
    let key: KeyObject

    /// A token whose claim `iat` is this JSON number. The signature is in DER, one of the two forms that APNs accepts.
    func token(issuedAt: String) throws(SimulatorError) -> String {
        let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let claims = #"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#
        return try token(header: header, claims: claims)
    }

    /// A token with these parts, whatever they contain.
    func token(header: String, claims: String) throws(SimulatorError) -> String {
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        return signed + "." + Base64URL.encode(try sign(Array(signed.utf8)))
    }

    private func sign(_ message: [UInt8]) throws(SimulatorError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .openSSL("sign a token") }
        defer { EVP_MD_CTX_free(context) }
        var count = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1,
            EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else { throw .openSSL("sign a token") }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
            throw .openSSL("sign a token")
        }
        return Array(signature.prefix(count))
    }
}
