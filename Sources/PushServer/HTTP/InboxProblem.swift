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

    init(_ status: Int, _ name: String, _ title: String, _ detail: String) {
        self.status = status
        self.name = name
        self.title = title
        self.detail = detail
    }

    static func parameter(_ name: String, _ problem: String) -> InboxProblem {
        InboxProblem(400, "bad-parameter", "A parameter is wrong.", "The parameter \(name) \(problem).")
    }

    static func body(_ problem: String) -> InboxProblem {
        InboxProblem(400, "bad-body", "The body is wrong.", problem)
    }

    static func notFound(_ what: String) -> InboxProblem {
        InboxProblem(404, "not-found", "There is no such thing.", what)
    }

    static func tooMany(_ what: String) -> InboxProblem {
        InboxProblem(503, "too-many", "There are too many.", what)
    }
}
