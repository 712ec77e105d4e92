#if Server
    import FoundationEssentials
    import HTTPTypes
    import Hummingbird
    import NIOCore
    import ProcessRuntime

    /// Lets requests in, and makes problems of errors.
    struct GateMiddleware: RouterMiddleware {
        typealias Context = BasicRequestContext

        let gate: Gate
        let guardian: TokenGuard?

        /// What needs no token: what a proxy or a container asks for, and what the form needs, which is the same in
        /// every copy of this program. The page itself sends to the form.
        private static let open = Set(["/livez", "/readyz", "/login"] + PageFile.all.map(\.path)).subtracting(["/"])

        func handle(
            _ request: Request, context: Context, next: (Request, Context) async throws -> Response
        ) async throws -> Response {
            do {
                try gate.check(head(of: request))
                try letIn(request)
                return secured(try await next(request, context))
            } catch let problem as InboxProblem {
                if problem.name == "no-token", request.uri.path == "/" {
                    return secured(Response(status: .seeOther, headers: [.location: "/login"]))
                }
                return secured(.problem(problem))
            } catch is NIOTooManyBytesError {
                return secured(
                    .problem(
                        InboxProblem(
                            413, name: "too-long", title: "The body is too long.", detail: "Send a shorter one.")))
            } catch let error as HTTPError where error.status == .notFound {
                return secured(.problem(.notFound("The API is described at /v1/openapi.json.")))
            } catch let error as HTTPError {
                return secured(
                    .problem(
                        InboxProblem(
                            error.status.code, name: "http", title: "The request is wrong.", detail: error.body ?? "")))
            }
        }

        private func head(of request: Request) -> Gate.Head {
            Gate.Head(
                method: request.method.rawValue, path: request.uri.path, authority: request.head.authority,
                origin: request.headers[.origin],
                fetchSite: HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] })
        }

        private func letIn(_ request: Request) throws(InboxProblem) {
            guard let guardian, !Self.open.contains(request.uri.path) else { return }
            if let cookie = request.cookies[TokenGuard.cookie]?.value, guardian.knows(cookie: cookie) { return }
            if let value = request.headers[.authorization], value.lowercased().hasPrefix("bearer ") {
                if try guardian.check(String(value.dropFirst(7)), now: SignIn.seconds) { return }
            }
            throw InboxProblem(
                401, name: "no-token", title: "A token is needed.",
                detail: "Send Authorization: Bearer and the token, or sign in at /login."
            )
        }

        /// The same for every answer: nothing from elsewhere, no script in the page, no frame around it.
        private func secured(_ response: Response) -> Response {
            var response = response
            for (name, value) in Self.headers { response.headers[name] = value }
            if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
            if response.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
            return response
        }

        private static let headers: [(HTTPField.Name, String)] =
            [
                (
                    .contentSecurityPolicy,
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
                ),
                (.xContentTypeOptions, "nosniff"),
                // With no-referrer a browser would send the form with the origin null.
            ]
            + [("Referrer-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin")].compactMap { pair in
                HTTPField.Name(pair.0).map { ($0, pair.1) }
            }
    }
#endif
