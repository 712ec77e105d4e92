#if Server
    import HTTPTypes
    import Hummingbird
    import NIOCore

    /// A reader of the event stream. It gets what came in one write, at most 20 times a second, and the next when it has
    /// read that: one that does not read holds nothing up, and loses what made room meanwhile.
    struct EventStream: Sendable {
        private let store: InboxStore
        private let writer: EventWriter
        private let start: InboxPosition
        private let places: Places

        /// The least time between two writes.
        private static let pause = Duration.milliseconds(50)
        /// How long nothing is written at most, so that a proxy keeps the connection.
        private static let silence = Duration.seconds(15)
        /// How many pushes one write has at most.
        private static let mostPushes = 5_000

        init(_ store: InboxStore, _ writer: EventWriter, from start: InboxPosition, _ places: Places) {
            self.store = store
            self.writer = writer
            self.start = start
            self.places = places
        }

        /// The answer, which ends when the store closes, or the reader leaves.
        func response(to request: Request) -> Response {
            let (stream, place) = (self, Place(places))
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    defer { place.leave() }
                    try await request.body.consumeWithCancellationOnInboundClose { _ in
                        try await stream.write(to: &writer)
                    }
                    try await writer.finish(nil)
                })
        }

        private func write(to body: inout any ResponseBodyWriter) async throws {
            var position = start
            try await body.write(ByteBuffer(string: "retry: 1000\n\n"))
            while !Task.isCancelled {
                let version = store.version
                let news = store.news(after: position, most: Self.mostPushes)
                if news.isClosed { return }
                let bytes = writer.events(news, after: position)
                position = news.position
                if !bytes.isEmpty {
                    try await body.write(ByteBuffer(bytes: bytes))
                    try await Task.sleep(for: Self.pause)
                } else if news.isEmpty {
                    await store.waitForChange(after: version, within: Self.silence)
                    if store.version == version { try await body.write(ByteBuffer(string: ": still here\n\n")) }
                } else {
                    // What does not match costs a look at most as often.
                    try await Task.sleep(for: Self.pause)
                }
            }
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
