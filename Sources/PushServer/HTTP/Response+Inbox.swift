#if Server
    import HTTPTypes
    import Hummingbird
    import NIOCore

    extension Response {
        static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
            bytesOf(bytes, type: "application/json", status: status)
        }

        static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
            bytesOf(Array(text.utf8), type: "text/plain; charset=utf-8", status: status)
        }

        static func problem(_ problem: InboxProblem) -> Response {
            bytesOf(problem.json, type: "application/problem+json", status: HTTPResponse.Status(code: problem.status))
        }

        static func bytesOf(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) -> Response {
            Response(
                status: status, headers: [.contentType: type],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }

    /// A file of the page, which is in the program.
    struct PageFile: Sendable {
        let path: String
        let type: String
        let bytes: [UInt8]

        var response: Response {
            var response = Response.bytesOf(bytes, type: type)
            response.headers[.cacheControl] = "no-cache"
            return response
        }
    }
#endif
