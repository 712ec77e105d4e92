import PushHTTP2

/// A request as an observer keeps it. It is small, because the last 100,000 are kept.
struct KeptRequest {
    /// The fields in their order. Those of its own have no value here, nor has the provider token.
    let common: HeaderBlock
    /// The values of its own, in their order; then the body, and the `apns-id` of the answer, empty if it is the
    /// request's.
    let own: HeaderBlock
    let bodyCount: Int

    /// About how many bytes it takes.
    var bytes: Int { common.bytes.count + own.bytes.count }

    /// The request as it came, without the provider token.
    var request: PushRequest {
        var values = values
        var headers = HeaderBlock()
        common.forEach { name, value in
            headers.append(name: name, value: RequestKeeper.isOwn(name) ? values.popFirst() ?? [] : value)
        }
        return PushRequest(headers, body: Array(values.first ?? []), bodyCount: bodyCount)
    }

    var answeredID: Octets? { values.last.flatMap { $0.isEmpty ? nil : $0 } }

    private var values: ArraySlice<Octets> {
        var values: [Octets] = []
        own.forEach { values.append($1) }
        return values[...]
    }
}

/// Makes of the requests of one connection what an observer keeps of them.
///
/// A request mostly differs from the one before in its path, its `apns-id` and its body. The other fields are kept once
/// for all that follow one another with the same ones.
struct RequestKeeper {
    private var common = HeaderBlock()

    /// - Parameter answeredID: The `apns-id` of the answer; nil if it is the request's.
    mutating func keep(_ request: PushRequest, answeredID: Octets?) -> KeptRequest {
        let size = request.path.count + (request.messageID?.count ?? 0) + request.body.count + (answeredID?.count ?? 0)
        var own = HeaderBlock(capacity: size + 4 * HeaderBlock.prefix)
        var comparison = HeaderBlock.Comparison(common)
        request.headers.forEach { name, value in
            if Self.isOwn(name) { own.append(name: [], value: value) }
            comparison.next(name: name, value: Self.common(value, of: name))
        }
        own.append(name: [], value: request.body[...])
        own.append(name: [], value: answeredID ?? [])
        if !comparison.isEqual { common = Self.common(of: request) }
        return KeptRequest(common: common, own: own, bodyCount: request.bodyCount)
    }

    private static func common(of request: PushRequest) -> HeaderBlock {
        var fields = HeaderBlock()
        request.headers.forEach { name, value in fields.append(name: name, value: common(value, of: name)) }
        return fields.copy
    }

    /// The value of a field, unless it is the request's own, or the provider token.
    private static func common(_ value: Octets, of name: Octets) -> Octets {
        isOwn(name) || name.equals("authorization") ? [] : value
    }

    /// Whether most requests have a value of their own for this field.
    fileprivate static func isOwn(_ name: Octets) -> Bool { name.equals(":path") || name.equals("apns-id") }
}
