/// What is wrong with a request, as a problem of RFC 9457.
struct InboxProblem: Error, Sendable, Hashable {
    let status: Int
    /// A short name, the end of the problem's `type`.
    let name: String
    let title: String
    let detail: String
    /// Further members, already JSON.
    var members: [Member] = []

    struct Member: Sendable, Hashable {
        let name: String
        let json: [UInt8]
    }

    init(_ status: Int, name: String, title: String, detail: String) {
        self.status = status
        self.name = name
        self.title = title
        self.detail = detail
    }

    static func parameter(_ name: String, _ problem: String) -> InboxProblem {
        InboxProblem(
            400, name: "bad-parameter", title: "A parameter is wrong.", detail: "The parameter \(name) \(problem).")
    }

    static func body(_ problem: String) -> InboxProblem {
        InboxProblem(400, name: "bad-body", title: "The body is wrong.", detail: problem)
    }

    static func notFound(_ what: String) -> InboxProblem {
        InboxProblem(404, name: "not-found", title: "There is no such thing.", detail: what)
    }

    static func tooMany(_ what: String) -> InboxProblem {
        InboxProblem(503, name: "too-many", title: "There are too many.", detail: what)
    }
}
