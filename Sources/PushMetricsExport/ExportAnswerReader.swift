import PushHTTP1
import PushProtocol
import PushTransport

/// What the answers of the three steps mean.
struct ExportAnswerReader: Sendable {
    let host: Endpoint
    let order: ExportOrder
    /// What no error shows.
    let token: ManagementToken?

    private static let newToken =
        "Make a data export token for this app and data set in Apple's CloudKit Console; it lives six months at most."

    // MARK: The request

    /// Where the status of an accepted request is.
    func statusAddress(_ answer: HTTP1Message) throws(ExportError) -> WebAddress {
        try check(answer, isRequest: true)
        guard let text = JSONValue(parsing: answer.body)?["statusUrl"]?.stringValue else {
            throw ExportError(.badAnswer, "The answer of \(host.host) to the request has no statusUrl.")
        }
        let address = try address(text, of: "The address of the status")
        // The token is shown there.
        guard address.endpoint == host else {
            throw ExportError(
                .badAnswer,
                "The address of the status is on another host, \(named(address)). The token goes to \(host) only, so it is "
                    + "not asked.")
        }
        return address
    }

    // MARK: The status

    /// Why a question is worth another one, though it was answered; nil if the answer counts.
    func passingTrouble(_ answer: HTTP1Message) -> String? {
        guard let status = answer.status, status == 429 || status >= 500 else { return nil }
        return "\(host.host) answers \(status)\(said(answer)). Ask again later."
    }

    /// Where the report is; nil while it is being made.
    func reportAddress(_ answer: HTTP1Message) throws(ExportError) -> WebAddress? {
        try check(answer, isRequest: false)
        let object = JSONValue(parsing: answer.body)
        switch object?["status"]?.stringValue {
        case "PROCESSING": return nil
        case "SUCCESS":
            // Apple's table calls it dataURL, Apple's sample dataUrl.
            let details = object?["downloadDetails"]
            guard let text = (details?["dataUrl"] ?? details?["dataURL"])?.stringValue else {
                throw ExportError(.badAnswer, "The report is ready, and the answer of \(host.host) has no dataUrl.")
            }
            return try address(text, of: "The address of the report")
        case "FAILED":
            throw ExportError(.refused, "Apple could not make the report (FAILED). Ask again, or for other days.")
        case "EXPIRED":
            throw ExportError(.refused, "The report has expired (EXPIRED). Ask again, or for other days.")
        default: throw ExportError(.badAnswer, "The answer of \(host.host) has no status that is known.")
        }
    }

    // MARK: The report

    /// Where an answer in place of the report leads; nil if it leads nowhere.
    func redirect(_ answer: HTTP1Message, from address: WebAddress) throws(ExportError) -> WebAddress? {
        guard let status = answer.status, Self.isRedirect(status) else { return nil }
        guard let location = answer["location"] else {
            throw ExportError(.badAnswer, "\(address.authority) redirects the report and does not say where to.")
        }
        let name = "The address to which \(address.authority) redirects the report"
        do { return try address.leading(to: location) } catch { throw Self.error(error, of: name) }
    }

    func report(_ answer: HTTP1Message, from address: WebAddress, limit: Int) throws(ExportError) -> [UInt8] {
        guard answer.status == 200 else {
            throw ExportError(
                answer.status.map { $0 >= 500 } == true ? .unavailable : .refused,
                "\(address.authority) answers \(answer.status ?? 0) in place of the report. Its address lives an hour: ask again."
            )
        }
        switch answer["content-encoding"]?.lowercased() {
        case nil, "identity", "": return answer.body
        case "gzip", "x-gzip":
            do { return try Gzip.unpacked(answer.body, limit: limit) } catch {
                if error == .tooLong { throw tooLarge(limit) }
                throw ExportError(.badAnswer, "The report from \(address.authority) is packed, and damaged. Ask again.")
            }
        default:
            throw ExportError(
                .badAnswer, "The report from \(address.authority) is packed in a way that is not known here.")
        }
    }

    func tooLarge(_ limit: Int) -> ExportError {
        ExportError(.tooLarge, "The report is larger than \(limit >> 20) MiB. Ask for fewer days by --from and --to.")
    }

    // MARK: Errors

    func error(_ failure: WebFailure) -> ExportError {
        switch failure.kind {
        case .link: ExportError(.unavailable, failure.sentence)
        case .stopped: .stopped
        case .tooLong, .malformed: ExportError(.badAnswer, failure.sentence)
        }
    }

    private func check(_ answer: HTTP1Message, isRequest: Bool) throws(ExportError) {
        let status = answer.status ?? 0
        if Self.isRedirect(status) {
            let target = answer["location"].flatMap { try? WebAddress(host, target: "/").leading(to: $0) }
            throw ExportError(
                .badAnswer,
                "\(host.host) redirects to \(target.map(named) ?? "another address"). A redirect would take the token along, so "
                    + "it is not followed.")
        }
        switch status {
        case 200..<300: return
        case 401, 403:
            throw ExportError(.tokenRefused, "Apple refuses the token (\(status))\(said(answer)). \(Self.newToken)")
        // Apple's page of delivery metrics says so of the status.
        case 404 where !isRequest:
            throw ExportError(
                .tokenRefused, "Apple does not know the request for this token (404)\(said(answer)). \(Self.newToken)")
        case 404 where order.dataset == .channel:
            throw ExportError(
                .refused, "Apple does not know the channel (404)\(said(answer)). See pushctl channels list.")
        case 429, 500...:
            throw ExportError(.unavailable, "\(host.host) answers \(status)\(said(answer)). Ask again later.")
        default:
            throw ExportError(
                .refused,
                "Apple refuses the request (\(status))\(said(answer)). Check the team, the bundle id and the days.")
        }
    }

    /// What the answer says of itself: a short text without anything that controls a terminal.
    private func said(_ answer: HTTP1Message) -> String {
        let object = JSONValue(parsing: answer.body)
        for name in ["reason", "message", "errorMessage", "error"] {
            guard let said = object?[name]?.stringValue else { continue }
            // Before the text is cut, which could leave a part of the token.
            let text = token?.removed(from: said) ?? said
            let harmless = String(
                text.unicodeScalars.prefix(200).map { $0.value < 32 || $0.value == 127 ? " " : Character($0) })
            if !harmless.isEmpty { return ": \(harmless)" }
        }
        return ""
    }

    /// A host that a server names, which may have what it was shown.
    private func named(_ address: WebAddress) -> String {
        token?.removed(from: address.authority) ?? address.authority
    }

    private func address(_ text: String, of name: String) throws(ExportError) -> WebAddress {
        do { return try WebAddress(text) } catch { throw Self.error(error, of: name) }
    }

    private static func error(_ problem: WebAddress.Problem, of name: String) -> ExportError {
        switch problem {
        case .malformed: ExportError(.badAnswer, "\(name) cannot be read.")
        case .insecure(let host):
            ExportError(.badAnswer, "\(name)\(host.map { ", on \($0)," } ?? "") is not https. It is not followed.")
        }
    }

    private static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }
}
