#if Server
    import HTTPTypes
    import Hummingbird
    import NIOCore
    import ProcessRuntime

    /// The form that makes a cookie of the token.
    enum SignIn {
        private static let mostBytes = 4_096

        /// Of the monotonic clock.
        static var seconds: Int64 { SystemTime().now.nanoseconds / 1_000_000_000 }

        static func response(to request: Request, _ guardian: TokenGuard?) async throws -> Response {
            guard let guardian else { return Response(status: .seeOther, headers: [.location: "/"]) }
            let body = try await request.body.collect(upTo: mostBytes)
            let token = FormText.fields(String(decoding: body.readableBytesView, as: UTF8.self))["token"] ?? ""
            guard try guardian.check(token, now: seconds) else {
                return Response(status: .seeOther, headers: [.location: "/login?wrong"])
            }
            var response = Response(status: .seeOther, headers: [.location: "/"])
            let cookie = "\(TokenGuard.cookie)=\(guardian.newCookie()); Path=/; HttpOnly; SameSite=Strict"
            response.headers[.setCookie] = cookie
            return response
        }
    }
#endif
