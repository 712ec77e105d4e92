#if Server
    import HTTPTypes
    import Hummingbird
    import NIOCore

    extension EventStream {
        /// The answer, which ends when the store closes, or the reader leaves.
        ///
        /// - Parameter places: Where a place was taken for it, which it leaves at its end.
        func response(to request: Request, _ places: Places) -> Response {
            let place = Place(places)
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    defer { place.leave() }
                    try await request.body.consumeWithCancellationOnInboundClose { _ in
                        try await run { try await writer.write(ByteBuffer(bytes: $0)) }
                    }
                    try await writer.finish(nil)
                })
        }

        /// A place that is left once, also if the answer is never written.
        private final class Place: Sendable {
            private let places: Places
            private let isLeft = Places(most: 1)

            init(_ places: Places) { self.places = places }

            func leave() { if isLeft.take() { places.leave() } }

            deinit { leave() }
        }
    }
#endif
